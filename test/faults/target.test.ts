import { describe, expect, it } from "vitest";
import { badServer, freePort } from "../support/bad-server.js";
import { sleep, startTailrace, tailrace, until } from "../support/cli.js";
import { listen } from "../support/listener.js";
import { expectWhole, readRecord, readSamples } from "../support/record.js";
import { Room } from "../support/room.js";
import { serveFast } from "../support/serve.js";
import { tlsFile } from "../support/tls.js";

/** Runs against a target that cannot be loaded: exit 2, one sentence, no file. @returns the sentence */
async function refusal(...words: readonly string[]): Promise<string> {
  const room = new Room();
  const files = ["json", "hlog", "hgrm", "samples"].flatMap((kind) => [`--${kind}`, room.file(kind)]);
  const { code, stdout, stderr } = await tailrace(["run", ...files, ...words]);
  expect({ code, stdout, files: room.list() }).toEqual({ code: 2, stdout: "", files: [] });
  const [sentence = "", ...more] = stderr.split("\n");
  expect(more).toEqual(["Nothing was sent.", ""]);
  expect(sentence).toMatch(/^tailrace run: /);
  return sentence;
}

describe("a target that is not there", () => {
  it("is told before the run: nobody listens", async () => {
    const port = await freePort();
    expect(await refusal(`http://127.0.0.1:${port}/`)).toBe(
      `tailrace run: 127.0.0.1:${port}: connection refused; is the server running on this port?`,
    );
  });

  it("is told before the run: the name is unknown", async () => {
    expect(await refusal("http://no-such-host.invalid/")).toMatch(
      /the host name no-such-host\.invalid (is unknown|could not be looked up: .+)$/,
    );
  });

  it("is told before the run: no such unix socket", async () => {
    const said = await refusal("--unix-socket", "/no/such/socket", "http://x/");
    expect(said).toBe("tailrace run: /no/such/socket: there is no such unix socket (refused)");
  });

  it("is told before the run: it never answers the TLS handshake", async () => {
    const silent = await badServer(() => {});
    const said = await refusal("--timeout", "300ms", `https://127.0.0.1:${silent.port}/`);
    expect(said).toContain("no connection within 0.3 s");
  });
});

describe("a certificate that cannot be trusted", () => {
  it("is told before the run, and why", async () => {
    const [expired, good] = [await listen({ certificate: "expired" }), await listen({ certificate: "server" })];
    const ca = ["--cacert", tlsFile("ca.crt").path];
    expect(await refusal(...ca, `https://localhost:${expired.port}/`)).toContain("the certificate has expired");
    expect(await refusal(`https://localhost:${good.port}/`)).toMatch(/certificate's .*--cacert .* --insecure /);
    const elsewhere = ["--servername", "example.com", `https://127.0.0.1:${good.port}/`];
    expect(await refusal(...ca, ...elsewhere)).toContain("the certificate is for another name");
    expect(expired.arrivals.length + good.arrivals.length).toBe(0);
  });

  it("is accepted with --insecure", async () => {
    const expired = await listen({ certificate: "expired" });
    const words = ["run", "-k", "--quiet", "--requests", "5", `https://localhost:${expired.port}/`];
    expect(await tailrace(words)).toMatchObject({ code: 0, stderr: "" });
    expect(expired.arrivals).toHaveLength(5);
  });

  it("is no certificate at all where plain HTTP is spoken", async () => {
    const plain = await serveFast();
    expect(await refusal(plain.url.replace("http:", "https:"))).toContain("does not speak TLS: write http://");
  });
});

describe("a target that dies in the middle and comes back", () => {
  it("has its dead time in the record, and nothing lost on either side of it", async () => {
    const port = String(await freePort());
    const first = await serveFast("--port", port);
    const room = new Room();
    const files = ["--json", room.file("run.json"), "--samples", room.file("run.csv")];
    const run = startTailrace(["run", "--rate", "100", "--duration", "5s", ...files, `${first.url}/`]);
    await until(async () => (await first.stats()).counts.arrivals > 50, "50 requests");
    first.running.child.kill("SIGKILL");
    await first.running.finished;
    await sleep(500);
    await serveFast("--port", port);
    const { code, stdout } = await run.finished;
    expect(code).toBe(0);
    const record = readRecord(room.file("run.json"));
    expectWhole(record);
    const { scheduled, ok, errors } = record.requests;
    expect(ok + errors).toBe(scheduled);
    expect(record.outcomes.byError.refused).toBeGreaterThan(0);
    expect(record.requests.unsentBy.refused).toBeGreaterThan(0);
    expect(record.attempts.connectFailures).toBeGreaterThan(0);
    expect(record.outcomes.details.refused).toBe("nobody listens there");
    expect(stdout).toMatch(/\d+ refused: nobody listens there/);
    expect(stdout).toMatch(/never sent: .*× refused/);
    // What the target refused is no shortfall of the generator.
    expect(record.verdict.status).not.toBe("generator-bound");
    const samples = readSamples(room.read("run.csv"));
    const when = (wanted: string) =>
      samples.flatMap(({ outcome, intended_ms }) => (outcome === wanted ? [Number(intended_ms)] : []));
    expect(Math.min(...when("ok"))).toBeLessThan(Math.min(...when("error")));
    expect(Math.max(...when("ok"))).toBeGreaterThan(Math.max(...when("error")));
  });
});
