import { type ServerResponse, STATUS_CODES } from "node:http";
import { NS_PER_MS } from "../units/duration.js";
import type { Job } from "./job.js";

/** Turns the ending of a job into bytes. Headers are prepared once: this runs ten thousand times a second. */
export class AnswerWriter {
  private readonly body: Buffer;
  private readonly bodyLength: string;
  private readonly failStatus: number;
  private readonly failText: string;

  /**
   * @param bodyBytes size of every served answer's body
   * @param failStatus status of a job that failed on purpose
   */
  constructor(bodyBytes: number, failStatus: number) {
    this.body = Buffer.alloc(bodyBytes, "ok\n");
    this.bodyLength = String(bodyBytes);
    this.failStatus = failStatus;
    this.failText = `${failStatus} ${STATUS_CODES[failStatus] ?? "Failed"}\n`;
  }

  write(response: ServerResponse, job: Job<unknown>): void {
    switch (job.ending.kind) {
      case "served":
        response.writeHead(200, [
          "Content-Type",
          "text/plain",
          "Content-Length",
          this.bodyLength,
          "Server-Timing",
          serverTiming(job),
        ]);
        response.end(this.body);
        return;
      case "failed":
        answerText(response, this.failStatus, this.failText, { "Server-Timing": serverTiming(job) });
        return;
      case "over-limit":
        answerText(response, 429, "rate limit\n", { "Retry-After": String(job.ending.retryAfterS) });
        return;
      case "queue-full":
        answerText(response, 503, "queue full\n", {});
        return;
      case "reset":
        response.socket?.resetAndDestroy();
    }
  }
}

/** The true wait and service of a request in milliseconds (W3C Server Timing), to the microsecond. */
function serverTiming(job: Job<unknown>): string {
  const waitMs = (job.startNs - job.arrivedNs) / NS_PER_MS;
  const serviceMs = (job.endNs - job.startNs) / NS_PER_MS;
  return `wait;dur=${waitMs.toFixed(3)}, service;dur=${serviceMs.toFixed(3)}`;
}

export function answerText(
  response: ServerResponse,
  status: number,
  text: string,
  headers: Readonly<Record<string, string>>,
): void {
  const length = Buffer.byteLength(text);
  response.writeHead(status, { "Content-Type": "text/plain", "Content-Length": length, ...headers });
  response.end(text);
}
