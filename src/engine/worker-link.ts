import { Worker } from "node:worker_threads";
import type { FromWorker, ToWorker } from "./messages.js";

/** The coordinator's end of a channel to one worker. Messages arrive in the order they were sent. */
export interface WorkerLink {
  send(message: ToWorker): void;
  /** Ends the worker by force. */
  terminate(): void;
}

export interface WorkerListener {
  onMessage(message: FromWorker): void;
  /** It ended without saying `done`: crashed, ran out of memory, was killed. */
  onLost(reason: string): void;
}

/** Opens the channel to a new worker. */
export type OpenWorker = (listener: WorkerListener) => WorkerLink;

/**
 * A worker on a thread of this process. A large young generation makes collections rare: what Node allocates for a request is
 * dead by the next one, and a scavenge costs by what survives.
 */
export const openThread: OpenWorker = (listener) => {
  const worker = new Worker(new URL("./worker-thread.js", import.meta.url), {
    resourceLimits: { maxYoungGenerationSizeMb: 32 },
    stdout: false,
    stderr: false,
  });
  let done = false;
  worker.on("message", (message: FromWorker) => {
    done ||= message.type === "done";
    listener.onMessage(message);
  });
  worker.on("error", (error) => {
    if (!done) listener.onLost(error.message);
    done = true;
  });
  worker.on("exit", (code) => {
    if (!done) listener.onLost(`its thread ended with code ${code}`);
    done = true;
  });
  return {
    send: (message) => worker.postMessage(message),
    terminate: () => void worker.terminate(),
  };
};
