import { writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { onCore, pause, start } from "./children.mjs";
import { scratchFolder } from "./scratch.mjs";

const BODY_BYTES = 600;
const CORE = 0;

/** Answers as fast as anything can, so that the client is what is measured. One worker, on core 0. */
export async function startNginx() {
  const folder = scratchFolder();
  const port = await freePort();
  const file = join(folder, "nginx.conf");
  writeFileSync(file, configuration(folder, port));
  const server = start(onCore(CORE, ["nginx", "-p", folder, "-c", file, "-e", "stderr"]));
  const url = `http://127.0.0.1:${port}/`;
  const countUrl = `${url}count`;
  await answering(countUrl, server);
  let looks = 1;
  return {
    url,
    port,
    /** Requests served so far to others than the asker. */
    served: async () => (await requestsSeen(countUrl)) - ++looks,
    stop: () => server.stop("SIGTERM"),
  };
}

/** @param {string} folder @param {number} port */
function configuration(folder, port) {
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
  return `
daemon off;
worker_processes 1;
pid ${folder}/pid;
events { worker_connections 16384; }
http {
  access_log off;
  ${temporary.map((name) => `${name}_temp_path ${folder}/${name};`).join("\n  ")}
  keepalive_timeout 1h;
  keepalive_requests 1000000000;
  server {
    listen 127.0.0.1:${port} backlog=4096;
    location / { return 200 "${"x".repeat(BODY_BYTES)}"; }
    location = /count { stub_status; }
  }
}
`;
}

/** @returns {Promise<number>} */
function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer().once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === "object" ? (address?.port ?? 0) : 0));
    });
  });
}

/** @param {string} url @param {ReturnType<typeof start>} server */
async function answering(url, server) {
  for (let attempt = 0; attempt < 100 && server.running(); attempt++) {
    try {
      await requestsSeen(url);
      return;
    } catch {
      await pause(50);
    }
  }
  throw new Error(`nginx does not answer: ${server.said()}`);
}

/** stub_status: `server accepts handled requests`, then a line of three numbers. @param {string} url */
async function requestsSeen(url) {
  const response = await fetch(url, { headers: { connection: "close" } });
  const [, requests] = /\d+ \d+ (\d+)/.exec(await response.text()) ?? [];
  if (requests === undefined) throw new Error("nginx tells no count");
  return Number(requests);
}
