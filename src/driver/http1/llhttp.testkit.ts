import { request } from "node:http";
import { Duplex } from "node:stream";
import type { Outcome } from "./responses.testkit.js";

/** What Node's own client, and so llhttp, makes of an answer that is followed by the end of the connection. */
export function askLlhttp(bytes: Uint8Array, method: "GET" | "HEAD"): Promise<Outcome> {
  return new Promise((resolve) => {
    let said = false;
    const socket = new Duplex({
      read: () => {},
      write: (_chunk, _encoding, done) => {
        done();
        if (said) return;
        said = true;
        socket.push(bytes);
        socket.push(null);
      },
    });
    let refused = false;
    let answered = false;
    const asked = request({ method, host: "localhost", createConnection: () => socket });
    const settle = (outcome: Outcome) => {
      socket.destroy();
      resolve(outcome);
    };
    asked.on("upgrade", () => settle({ end: "refused" }));
    asked.on("error", (error: NodeJS.ErrnoException) => {
      refused = error.code?.startsWith("HPE_") === true;
      if (!answered) settle({ end: refused ? "refused" : "cut" });
    });
    asked.on("response", (response) => {
      answered = true;
      let bodyBytes = 0;
      response.on("data", (part: Buffer) => {
        bodyBytes += part.length;
      });
      response.on("error", () => {});
      response.on("close", () => {
        // Bytes after a whole answer are another matter, and fail only the connection.
        const end = response.complete ? "done" : refused ? "refused" : "cut";
        settle(end === "done" ? { end, status: response.statusCode ?? 0, bodyBytes } : { end });
      });
    });
    asked.end();
  });
}
