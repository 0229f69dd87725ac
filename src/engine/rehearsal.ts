import { type AddressInfo, createServer, type Server } from "node:net";
import type { MonotonicClock } from "../clock/monotonic.js";
import { createSleeper } from "../clock/sleeper.js";
import { createHttp1Driver } from "../driver/http1/http1.js";
import { RunCells } from "./cells.js";
import type { Job } from "./messages.js";
import { RequestLoop } from "./request-loop.js";

const REQUESTS = 1500;
const RATE_PER_S = 10_000;
const LONGEST_MS = 1000;
const ANSWER = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

/**
 * Does a run in small against a server in this very thread, and throws the numbers away. The first thousand requests of a
 * process are slower by some tenths of a millisecond, until its code has been compiled; that is the generator's time, and without a
 * rehearsal it would be booked to the target. The target itself is not touched.
 */
export async function rehearse(job: Job, clock: MonotonicClock): Promise<void> {
  const server = createServer((socket) => {
    socket.on("data", () => socket.write(ANSWER));
    socket.on("error", () => socket.destroy());
  });
  const port = await listen(server);
  if (port !== undefined) await exchange(job, port, clock);
  server.close();
}

/** @returns `undefined` where this process may not listen; a run goes without a rehearsal then */
function listen(server: Server): Promise<number | undefined> {
  return new Promise((resolve) => {
    server.on("error", () => resolve(undefined));
    server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port));
  });
}

function exchange(job: Job, port: number, clock: MonotonicClock): Promise<void> {
  const load =
    job.load.kind === "open"
      ? ({ kind: "open", arrivals: job.load.arrivals, ratePerS: RATE_PER_S } as const)
      : ({ kind: "closed", users: 2, thinkNs: 0, expectedIntervalNs: null } as const);
  const small: Job = {
    ...job,
    endpoint: { host: "rehearsal", port, address: "127.0.0.1", family: 4 },
    load,
    share: { index: 0, of: 1 },
    requests: REQUESTS,
    durationNs: Number.POSITIVE_INFINITY,
    warmupNs: 0,
    timeoutNs: Number.POSITIVE_INFINITY,
    maxConnections: Math.min(job.maxConnections, 4),
    preopen: 2,
    samples: false,
    cells: new SharedArrayBuffer(RunCells.bytes),
    onTheWire: new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT),
  };
  return new Promise((resolve) => {
    const loop: RequestLoop = new RequestLoop(small, {
      clock,
      driver: (listener) => createHttp1Driver(small.endpoint, listener, clock),
      sleeper: (onWake) => createSleeper("spin", clock, onWake),
      send: ({ type }) => {
        if (type === "armed") loop.start(clock.nowNs());
        if (type === "done") resolve();
      },
    });
    const guard = setTimeout(() => {
      loop.stopNow();
      resolve();
    }, LONGEST_MS);
    guard.unref();
    loop.arm();
  });
}
