import { parentPort } from "node:worker_threads";
import { createMonotonicClock } from "../clock/monotonic.js";
import { createSleeper } from "../clock/sleeper.js";
import { createHttp1Driver } from "../driver/http1/http1.js";
import type { FromWorker, ToWorker } from "./messages.js";
import { RequestLoop } from "./request-loop.js";

// A worker: the request loop, wired to a thread's port, the real clock and real sockets.
const port = parentPort;
if (port === null) throw new Error("this module is a worker's body; run it in a worker thread");

const clock = createMonotonicClock();
let loop: RequestLoop | undefined;

const send = (message: FromWorker, transfer?: ArrayBuffer[]) => port.postMessage(message, transfer);

port.on("message", (message: ToWorker) => {
  switch (message.type) {
    case "plan": {
      // A Buffer crosses threads as a plain array, which every write would have to wrap again.
      const { request } = message.job;
      const job = { ...message.job, request: { ...request, bytes: Buffer.from(request.bytes) } };
      loop = new RequestLoop(job, {
        clock,
        driver: (listener) => createHttp1Driver(job.endpoint, listener, clock),
        sleeper: (onWake) => createSleeper(job.pacing, clock, onWake),
        send: (sent, transfer) => {
          send(sent, transfer);
          if (sent.type === "done") port.close();
        },
      });
      loop.arm();
      break;
    }
    case "start":
      loop?.start(message.atNs);
      break;
    case "stop":
      if (message.what === "schedule") loop?.stopSchedule();
      else loop?.stopNow();
      break;
  }
});
