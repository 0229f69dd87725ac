import { Agent, type IncomingHttpHeaders, type RequestOptions, request } from "node:http";
import { DEFAULT_SERVER_CONFIG, type ServerConfig } from "./config.js";
import { type RunningServer, startServer } from "./http.js";

/** A server in this process on a free port. It spins, as the sleeper's helper thread exists in the built package only. */
export function startTestServer(knobs: Partial<ServerConfig> = {}): Promise<RunningServer> {
  return startServer({
    ...DEFAULT_SERVER_CONFIG,
    service: { kind: "const", meanNs: 1_000_000 },
    port: 0,
    pacing: "spin",
    ...knobs,
  });
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** One request over a connection of its own unless `agent` says otherwise. Rejects if the connection breaks. */
export function ask(
  server: RunningServer,
  path = "/",
  options: RequestOptions & { body?: string } = {},
): Promise<Answer> {
  const { body, ...rest } = options;
  return new Promise((resolve, reject) => {
    const sent = request(`${server.url}${path}`, { agent: false, ...rest }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: Buffer.concat(chunks).toString("latin1"),
        }),
      );
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

/** Sends a request and hangs up before it is answered. Resolves once the server has it, by its own count. */
export async function askAndHangUp(server: RunningServer): Promise<void> {
  const agent = new Agent();
  const arrivals = server.stats().counts.arrivals;
  const sent = request(server.url, { agent });
  sent.on("error", () => {});
  sent.end();
  await until(() => server.stats().counts.arrivals > arrivals);
  sent.destroy();
  agent.destroy();
}

/** Goes round the event loop until it is so. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}
