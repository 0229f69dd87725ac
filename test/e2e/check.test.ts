import { describe, expect, it } from "vitest";
import { answer, badServer } from "../support/bad-server.js";
import { tailrace } from "../support/cli.js";
import { Room } from "../support/room.js";
import { serveFast } from "../support/serve.js";

describe("run --check", () => {
  it("sends one request, shows both sides and the phases, and writes no file", async () => {
    const server = await serveFast();
    const room = new Room();
    const words = ["run", "--check", "-d", "some body", "--json", room.file("run.json"), `${server.url}/page`];
    const { code, stdout, stderr } = await tailrace(words);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/^to 127\.0\.0\.1 port \d+$/m);
    for (const line of ["> POST /page HTTP/1.1", "> some body", "< HTTP/1.1 200 OK", "< ok"])
      expect(stdout).toContain(line);
    expect(stdout).toContain("status 200, which counts as ok");
    expect(stdout).toMatch(/^connect .+ · first byte .+ · transfer .+ · in all .+$/m);
    expect((await server.stats()).counts.arrivals).toBe(1);
    expect(room.list()).toEqual([]);
  });

  it("fails, exit 1, where the answer would count as an error, breaks off, or does not come", async () => {
    const unwell = await serveFast("--fail-prob", "100%");
    const failed = await tailrace(["run", "--check", `${unwell.url}/`]);
    expect(failed.code).toBe(1);
    expect(failed.stdout).toContain("status 500, which counts as an error (see --expect-status)");

    const cut = await badServer((socket) => socket.end("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf"));
    const broken = await tailrace(["run", "--check", cut.url]);
    expect(broken.code).toBe(1);
    expect(broken.stdout).toMatch(/^failed: the peer closed .*\(closed\)$/m);

    const silent = await badServer(() => {});
    const unanswered = await tailrace(["run", "--check", "--timeout", "200ms", silent.url]);
    expect(unanswered.code).toBe(1);
    expect(unanswered.stdout).toContain("no answer within the timeout");
    expect(silent.seen.requests).toBe(1);
  });

  it("says, exit 2, that the target cannot be found, and writes no file", async () => {
    const room = new Room();
    const words = ["run", "--check", "--json", room.file("run.json"), "http://no-such-host.invalid/"];
    const { code, stderr } = await tailrace(words);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^tailrace run: the host name no-such-host\.invalid .+\nNothing was sent\.\n$/);
    expect(room.list()).toEqual([]);
  });

  it("shows nothing that could steer a terminal, and of a long body only its beginning", async () => {
    const server = await badServer((socket) => socket.write(answer(`\u001b[2J${"x".repeat(100_000)}`)));
    const { stdout } = await tailrace(["run", "--check", server.url]);
    expect(stdout).not.toContain("\u001b");
    expect(stdout).toMatch(/^< … \d+(\.\d+)? KB more$/m);
    expect(stdout.length).toBeLessThan(6000);
  });
});
