import { writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { tailrace } from "../support/cli.js";
import { listen } from "../support/listener.js";
import { Room } from "../support/room.js";
import { tlsFile } from "../support/tls.js";

const ONE = ["run", "--quiet", "--requests", "1", "--rate", "100"];

describe("the request that is sent", () => {
  it("has method, headers and body as curl would have them", async () => {
    const server = await listen();
    const room = new Room();
    writeFileSync(room.file("body.json"), '{"from":"file"}');
    const url = `http://127.0.0.1:${server.port}/path?q=1`;
    await tailrace([...ONE, url]);
    await tailrace([...ONE, "-d", "plain text", url]);
    await tailrace([
      ...ONE,
      "-X",
      "put",
      "-d",
      `@${room.file("body.json")}`,
      "-H",
      "Content-Type: application/json",
      url,
    ]);
    await tailrace([...ONE, "-d", "@-", "-u", "user:pass word", url], { input: "from stdin" });
    await tailrace([...ONE, "-H", `X-Env: ${"$"}{GREETING}`, "-H", "X-Two:  a: b ", "-H", "Host: other", url], {
      env: { GREETING: "good morning" },
    });
    const [plain, post, put, piped, headers] = server.arrivals;
    expect(plain).toMatchObject({ method: "GET", url: "/path?q=1", body: "" });
    expect(plain?.headers).toMatchObject({ host: `127.0.0.1:${server.port}`, accept: "*/*" });
    expect(post).toMatchObject({ method: "POST", body: "plain text", headers: { "content-length": "10" } });
    expect(put).toMatchObject({ method: "PUT", body: '{"from":"file"}' });
    expect(put?.headers["content-type"]).toBe("application/json");
    const basic = `Basic ${Buffer.from("user:pass word").toString("base64")}`;
    expect(piped).toMatchObject({ body: "from stdin", headers: { authorization: basic } });
    expect(headers?.headers).toMatchObject({ "x-env": "good morning", "x-two": "a: b", host: "other" });
  });

  it("goes where it is told to: a unix socket, another address, over TLS with a client's certificate", async () => {
    const room = new Room();
    const local = await listen({ socketPath: room.file("socket") });
    expect((await tailrace([...ONE, "--unix-socket", room.file("socket"), "http://service/x"])).code).toBe(0);
    expect(local.arrivals).toMatchObject([{ url: "/x", headers: { host: "service" } }]);

    const secure = await listen({ certificate: "server", askForCertificate: true });
    const identity = ["--cert", tlsFile("client.crt").path, "--key", tlsFile("client.key").path];
    const words = ["--cacert", tlsFile("ca.crt").path, ...identity];
    const named = [...words, "--resolve", `localhost:${secure.port}:127.0.0.1`, `https://localhost:${secure.port}/y`];
    const run = await tailrace([...ONE, ...named]);
    expect(run).toMatchObject({ code: 0, stderr: "" });
    expect(run.stdout).toContain("1 scheduled = 1 ok");
    expect(secure.arrivals).toMatchObject([{ url: "/y" }]);
  });
});
