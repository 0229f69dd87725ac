import ansis from "ansis";
import { createMonotonicClock } from "../clock/monotonic.js";
import { createHttp1Driver } from "../driver/http1/http1.js";
import { resolveTarget } from "../engine/target.js";
import type { Plan } from "../plan/plan.js";
import { redactHeader, redactUrl } from "../plan/redact.js";
import { formatDuration } from "../units/duration.js";
import { formatSize } from "../units/size.js";
import { EXIT } from "./exit-codes.js";

const SHOWN_BYTES = 4096;
const DEFAULT_TIMEOUT_MS = 30_000;

/** `run --check`: one request, both sides of it, and how long each part took. @returns the exit code */
export async function checkTarget(plan: Plan): Promise<number> {
  const { endpoint, request } = await resolveTarget(plan);
  const clock = createMonotonicClock();
  const sides = { sent: new Side(), received: new Side() };
  const times = { begunNs: clock.nowNs(), openNs: 0, sentNs: 0, firstByteNs: 0 };
  return new Promise((resolve) => {
    const driver = createHttp1Driver(
      endpoint,
      {
        onOpen: (connection, atNs) => {
          times.openNs = atNs;
          times.sentNs = clock.nowNs();
          connection.send(request);
        },
        onFirstByte: (_, atNs) => {
          times.firstByteNs = atNs;
        },
        onDone: (_, status, __, atNs) => {
          const ok = plan.request.expectStatus.some(([from, to]) => status >= from && status <= to);
          const verdict = ok ? ansis.green("counts as ok") : ansis.red("counts as an error (see --expect-status)");
          end(`status ${status}, which ${verdict}`, atNs, ok);
        },
        onFail: (_, kind, detail, __, atNs) => end(ansis.red(`failed: ${detail} (${kind})`), atNs, false),
        onGone: (_, kind, detail, atNs) => end(ansis.red(`no connection: ${detail} (${kind})`), atNs, false),
      },
      clock,
      { tap: { sent: (bytes) => sides.sent.add(bytes), received: (bytes) => sides.received.add(bytes) } },
    );
    const timer = setTimeout(
      () => end(ansis.red("no answer within the timeout"), clock.nowNs(), false),
      plan.timeoutMs ?? DEFAULT_TIMEOUT_MS,
    );
    const end = (outcome: string, atNs: number, ok: boolean) => {
      clearTimeout(timer);
      driver.close();
      const where = endpoint.socketPath ?? `${endpoint.address} port ${endpoint.port}`;
      const phases = [
        times.openNs > 0 ? `connect ${formatDuration(times.openNs - times.begunNs)}` : "",
        times.firstByteNs > 0 ? `first byte ${formatDuration(times.firstByteNs - times.sentNs)}` : "",
        times.firstByteNs > 0 ? `transfer ${formatDuration(atNs - times.firstByteNs)}` : "",
        `in all ${formatDuration(atNs - times.begunNs)}`,
      ].filter((phase) => phase !== "");
      process.stdout.write(
        `${ansis.dim(`to ${where}`)}\n${sides.sent.show(">")}${sides.received.show("<")}\n${outcome}\n${phases.join(" · ")}\n`,
      );
      resolve(ok ? EXIT.ok : EXIT.failed);
    };
    driver.connect();
  });
}

/** One direction's bytes: the first few kilobytes for showing, the rest as a number. */
class Side {
  private readonly kept: Uint8Array[] = [];
  private keptBytes = 0;
  private bytes = 0;

  add(bytes: Uint8Array): void {
    this.bytes += bytes.length;
    const room = SHOWN_BYTES - this.keptBytes;
    if (room <= 0) return;
    this.kept.push(Uint8Array.from(bytes.subarray(0, room)));
    this.keptBytes += Math.min(room, bytes.length);
  }

  show(sign: string): string {
    if (this.bytes === 0) return "";
    const text = Buffer.concat(this.kept).toString("utf8");
    const [head = "", ...body] = text.split("\r\n\r\n");
    const lines = [...head.split("\r\n").map(showHeader), "", ...body.join("\r\n\r\n").split(/\r?\n/)];
    if (lines.at(-1) === "") lines.pop();
    if (this.bytes > this.keptBytes) lines.push(`… ${formatSize(this.bytes - this.keptBytes)} more`);
    // Anything that could steer a terminal is shown as a dot.
    return lines.map((line) => `${ansis.dim(sign)} ${line.replace(/\p{Cc}/gu, "·")}\n`).join("");
  }
}

function showHeader(line: string): string {
  const [, name, value] = /^([^\s:]+):\s*(.*)$/.exec(line) ?? [];
  // A URL may stand in the request line, and in a redirection.
  const hideParameters = (text: string) => text.split(" ").map(redactUrl).join(" ");
  return name === undefined || value === undefined
    ? hideParameters(line)
    : `${name}: ${hideParameters(redactHeader(name, value))}`;
}
