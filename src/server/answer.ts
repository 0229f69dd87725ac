import { type ServerResponse, STATUS_CODES } from "node:http";
import { NS_PER_MS } from "../units/duration.js";
import type { Job } from "./job.js";

/** Turns the ending of a job into bytes. */
export class AnswerWriter {
  private readonly body: string | Buffer;
  private readonly bodyLength: string;
  private readonly failStatus: number;
  private readonly failText: string;

  /**
   * @param bodyBytes size of every served answer's body
   * @param failStatus status of a job that failed on purpose
   */
  constructor(bodyBytes: number, failStatus: number) {
    const body = Buffer.alloc(bodyBytes, "ok\n");
    // A short text travels with the head in one write; a long one had better not be copied.
    this.body = bodyBytes <= 4096 ? body.toString("latin1") : body;
    this.bodyLength = String(bodyBytes);
    this.failStatus = failStatus;
    this.failText = `${failStatus} ${STATUS_CODES[failStatus] ?? "Failed"}\n`;
  }

  /**
   * Composes the head of the answer without sending it. Done as soon as the end is known: after a pause of a few
   * milliseconds this code has left the CPU's caches, and takes some 70 µs that the answer would be late by.
   */
  prepare(response: ServerResponse, job: Job<unknown>): void {
    switch (job.ending.kind) {
      case "served":
        this.head(response, 200, this.bodyLength, "Server-Timing", serverTiming(job));
        return;
      case "failed":
        this.head(response, this.failStatus, String(this.failText.length), "Server-Timing", serverTiming(job));
        return;
      case "over-limit":
        this.head(response, 429, String(OVER_LIMIT.length), "Retry-After", String(job.ending.retryAfterS));
        return;
      case "queue-full":
        this.head(response, 503, String(QUEUE_FULL.length));
        return;
      case "reset":
        return;
    }
  }

  send(response: ServerResponse, job: Job<unknown>): void {
    if (!response.headersSent) this.prepare(response, job);
    switch (job.ending.kind) {
      case "served":
        response.end(this.body);
        return;
      case "failed":
        response.end(this.failText);
        return;
      case "over-limit":
        response.end(OVER_LIMIT);
        return;
      case "queue-full":
        response.end(QUEUE_FULL);
        return;
      case "reset":
        response.socket?.resetAndDestroy();
    }
  }

  private head(response: ServerResponse, status: number, length: string, ...more: readonly string[]): void {
    response.writeHead(status, ["Content-Type", "text/plain", "Content-Length", length, ...more]);
  }
}

const OVER_LIMIT = "rate limit\n";
const QUEUE_FULL = "queue full\n";

/** The true wait and service of a request in milliseconds (W3C Server Timing), to the microsecond. */
function serverTiming(job: Job<unknown>): string {
  const waitMs = (job.startNs - job.arrivedNs) / NS_PER_MS;
  const serviceMs = (job.endNs - job.startNs) / NS_PER_MS;
  return `wait;dur=${waitMs.toFixed(3)}, service;dur=${serviceMs.toFixed(3)}`;
}
