import { afterEach, describe, expect, it, vi } from "vitest";
import { DEFAULT_SERVER_CONFIG, type ServeFlags } from "../server/config.js";
import { ask, startTestServer } from "../server/http.testkit.js";
import { listeningLine, serve, serveCommand, summaryLine } from "./serve.js";

afterEach(() => {
  vi.restoreAllMocks();
  process.exitCode = undefined;
});

describe("tailrace serve", () => {
  it("has each flag once, and hands it on under the name the resolver reads", () => {
    const names: Record<keyof ServeFlags, true> = {
      host: true,
      port: true,
      workers: true,
      service: true,
      dist: true,
      sigma: true,
      alpha: true,
      modes: true,
      slowProb: true,
      slow: true,
      slowBy: true,
      stallEvery: true,
      stall: true,
      loadFactor: true,
      cold: true,
      lock: true,
      limit: true,
      queueLimit: true,
      afterOverload: true,
      failProb: true,
      failStatus: true,
      resetProb: true,
      bodySize: true,
      cancel: true,
      seed: true,
      pacing: true,
    };
    const flags = serveCommand().options.map((option) => option.attributeName());
    expect([...flags].sort()).toEqual(Object.keys(names).sort());
  });

  it("reports every problem in a line of its own and asks for exit code 2", async () => {
    const errors: string[] = [];
    vi.spyOn(process.stderr, "write").mockImplementation((text) => errors.push(String(text)) > 0);
    await serve(["--wrokers", "2", "--service", "5", "--slow", "1s", "--port", "http"]);
    expect(errors.map((line) => line.split(" ").slice(0, 3).join(" "))).toEqual([
      "tailrace serve: unknown",
      "tailrace serve: --port:",
      "tailrace serve: --service:",
      "tailrace serve: --slow",
    ]);
    for (const line of errors) expect(line).toMatch(/^[^\n]+\n$/);
    expect(process.exitCode).toBe(2);
  });

  it("says in one line, exit code 2, that it cannot listen there", async () => {
    const errors: string[] = [];
    vi.spyOn(process.stderr, "write").mockImplementation((text) => errors.push(String(text)) > 0);
    await serve(["--host", "192.0.2.1", "--pacing", "spin"]);
    expect(errors).toEqual([expect.stringMatching(/^tailrace serve: --host: "192.0.2.1" is not an address [^\n]+\n$/)]);
    expect(process.exitCode).toBe(2);
  });

  it("says where it listens and what it can do", () => {
    expect(listeningLine({ url: "http://127.0.0.1:8090" }, DEFAULT_SERVER_CONFIG)).toBe(
      "tail server on http://127.0.0.1:8090 · 1 worker · exp 5 ms → capacity 200/s · seed 1",
    );
  });

  it("ends with what truly happened", async () => {
    const server = await startTestServer({ limitPerS: 0.1 });
    expect(summaryLine(server.stats())).toBe("0 arrivals · no true response times");
    await ask(server);
    await ask(server);
    expect(summaryLine(server.stats())).toBe("2 arrivals · 1 refused · true response p50 1.00 ms, p99 1.00 ms");
    await server.close();
  });
});
