import { describe, expect } from "vitest";
import { itWith, networkNamespaces, procFiles } from "../support/ability.js";
import { answer, badServer } from "../support/bad-server.js";
import { shell } from "../support/cli.js";
import { expectWhole, readRecord, recordOf } from "../support/record.js";
import { Room } from "../support/room.js";
import { serve } from "../support/serve.js";

/** Node raises its soft limit to the hard one, so that is the one to lower. */
const limited = (words: string) => shell(`ulimit -Sn 200; ulimit -Hn 200; exec "$NODE" "$TAILRACE" run ${words}`);

describe("the descriptor limit", () => {
  itWith(procFiles, "is told, with its size, before a run that is sure to meet it", async () => {
    const server = await badServer((socket) => socket.end(answer()));
    for (const words of ["--connections 300", "--closed 300"]) {
      const { code, stderr } = await limited(`${words} ${server.url}`);
      expect(code).toBe(2);
      expect(stderr).toMatch(/300 connections need more than the 200 descriptors .*ulimit -n.* at most 72/);
    }
    expect(server.seen.connections).toBe(0);
  });

  itWith(
    procFiles,
    "bounds the requests in flight: those past it wait, are counted, and a finding says so",
    async () => {
      // 300 are due in the time of one answer.
      const server = await serve("--workers", "0", "--dist", "const", "--service", "1s");
      const { code, stdout, stderr } = await limited(`--rate 300 --duration 1s --json - ${server.url}/`);
      expect(code).toBe(0);
      const record = recordOf(stdout);
      expectWhole(record);
      expect(record.requests.ok).toBe(record.requests.scheduled);
      expect(record.generator.heldBack).toBeGreaterThan(0);
      expect(record.plan.maxInFlight).toBe(72);
      expect(record.verdict.status).toBe("generator-bound");
      expect(stderr.replace(/\s+/g, " ")).toMatch(
        /requests were held back because 72 were in flight \(--max-in-flight\)/,
      );
    },
  );

  itWith(procFiles, "met all the same makes requests wait, not fail, and says so with its size", async () => {
    const server = await serve("--workers", "0", "--dist", "const", "--service", "1s");
    const { code, stdout, stderr } = await limited(
      `--rate 400 --duration 1s --max-in-flight 1000 --json - ${server.url}/`,
    );
    expect(code).toBe(0);
    const record = recordOf(stdout);
    expectWhole(record);
    expect(record.requests.ok).toBe(record.requests.scheduled);
    expect(record.generator.limits).toEqual([
      expect.stringMatching(
        /^descriptor limit: this process may open 200 files; with \d+ connections open .*ulimit -n$/,
      ),
    ]);
    expect(record.verdict.status).toBe("generator-bound");
    expect(stderr.replace(/\s+/g, " ")).toContain("descriptor limit: this process may open 200 files");
    expect((await server.stats()).counts.arrivals).toBe(record.requests.scheduled);
  });
});

describe("the range of local ports", () => {
  itWith(networkNamespaces, "used up makes requests wait, not fail, and says so", async () => {
    const room = new Room();
    const setUp = 'ip link set lo up; echo "40000 40060" > /proc/sys/net/ipv4/ip_local_port_range';
    const server = '"$NODE" "$TAILRACE" serve --port 8090 --workers 0 --dist const --service 1s >served & server=$!';
    const ready = "until grep -q http served; do sleep 0.05; done";
    const run = '"$NODE" "$TAILRACE" run --rate 200 --duration 1s --json run.json http://127.0.0.1:8090/';
    const line = `unshare -n sh -c '${setUp}; ${server}; ${ready}; ${run}; code=$?; kill $server; wait; exit $code'`;
    const { code, stdout } = await shell(line, { cwd: room.path });
    expect(code).toBe(0);
    const record = readRecord(room.file("run.json"));
    expectWhole(record);
    expect(record.requests.ok).toBe(record.requests.scheduled);
    expect(record.generator.limits).toEqual([
      expect.stringMatching(/^local ports: with \d+ connections open none was left/),
    ]);
    expect(stdout.replace(/\s+/g, " ")).toContain("Widen net.ipv4.ip_local_port_range");
    expect(record.verdict.status).toBe("generator-bound");
    expect(room.read("served")).toContain(`${record.requests.sent} arrivals`);
  });
});
