import { statSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { fullDevice, itWith, mountNamespaces, procFiles } from "../support/ability.js";
import { answer, badServer } from "../support/bad-server.js";
import { shell, tailrace } from "../support/cli.js";
import { expectWhole, readRecord, recordOf } from "../support/record.js";
import { Room } from "../support/room.js";
import { serveFast } from "../support/serve.js";

const SHORT = ["--rate", "200", "--duration", "500ms", "--quiet"];

describe("an output that cannot be written", () => {
  it("is known before the run, each with its reason, and nothing is sent", async () => {
    const server = await badServer((socket) => socket.end(answer()));
    const room = new Room();
    writeFileSync(room.file("file"), "mine");
    const paths = [room.file("file/run.json"), room.file("absent/run.hlog"), room.path];
    const files = [
      ["--json", paths[0]!],
      ["--hlog", paths[1]!],
      ["--samples", paths[2]!],
    ].flat();
    const { code, stdout, stderr } = await tailrace([
      "run",
      ...SHORT,
      "--hgrm",
      room.file("good"),
      ...files,
      server.url,
    ]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr.split("\n").slice(0, 3)).toEqual([
      `tailrace run: --json: ${paths[0]} cannot be written: its folder is not a folder`,
      `tailrace run: --hlog: ${paths[1]} cannot be written: its folder does not exist`,
      `tailrace run: --samples: ${paths[2]} is a directory; name a file in it`,
    ]);
    expect(server.seen.connections).toBe(0);
    expect(room.list()).toEqual(["file"]);
    expect(room.read("file")).toBe("mine");
  });

  itWith(procFiles, "is known before the run where the folder takes no files", async () => {
    const server = await badServer((socket) => socket.end(answer()));
    const { code, stderr } = await tailrace(["run", "--json", "/proc/run.json", server.url]);
    expect(code).toBe(2);
    expect(stderr).toContain("--json: /proc/run.json cannot be written: no file can be made in that folder");
    expect(server.seen.connections).toBe(0);
  });

  it("is refused where two outputs would be one file", async () => {
    const room = new Room();
    const words = ["run", "--json", room.file("x"), "--samples", `${room.path}/./x`, "http://127.0.0.1:9/"];
    const { code, stderr } = await tailrace(words);
    expect(code).toBe(2);
    expect(stderr).toContain("--samples: ");
    expect(stderr).toContain("is what --json writes");
    expect(room.list()).toEqual([]);
  });
});

describe("devices", () => {
  it("are written to and never replaced", async () => {
    const server = await serveFast();
    const nowhere = ["json", "hlog", "hgrm", "samples"].flatMap((kind) => [`--${kind}`, "/dev/null"]);
    const { code, stderr } = await tailrace(["run", ...SHORT, ...nowhere, `${server.url}/`]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(statSync("/dev/null").isCharacterDevice()).toBe(true);
  });

  itWith(
    fullDevice,
    "that are full: the summary is printed all the same, and the record is saved elsewhere",
    async () => {
      const server = await serveFast();
      const room = new Room();
      const words = ["run", ...SHORT, "--json", "/dev/full", "--samples", "/dev/full", `${server.url}/`];
      const { code, stdout, stderr } = await tailrace(words, { env: { TMPDIR: room.path } });
      expect(code).toBe(1);
      expect(stdout).toContain("scheduled =");
      expect(stderr).toMatch(
        /--json: \/dev\/full could not be written: no space is left on the disk; it is in (\S+) instead/,
      );
      expect(stderr).toMatch(/--samples: \/dev\/full is not whole: no space is left on the disk/);
      const [rescued = "", ...others] = room.list();
      expect(others).toEqual([]);
      expect(stderr).toContain(room.file(rescued));
      expectWhole(readRecord(room.file(rescued)));
      expect(statSync("/dev/full").isCharacterDevice()).toBe(true);
    },
  );

  itWith(fullDevice, "that are full as standard output: said in a sentence, exit 1, the files are there", async () => {
    const server = await serveFast();
    const room = new Room();
    const line = `"$NODE" "$TAILRACE" run --requests 20 --rate 100 --json run.json ${server.url}/ > /dev/full`;
    const { code, stderr } = await shell(line, { cwd: room.path });
    expect(code).toBe(1);
    expect(stderr).toBe("tailrace: standard output could not be written: no space is left on the disk\n");
    expectWhole(readRecord(room.file("run.json")));
    const piped = await shell(`"$NODE" "$TAILRACE" run --requests 20 --json - ${server.url}/ > /dev/full`, {
      env: { TMPDIR: room.path },
    });
    expect(piped.code).toBe(1);
    const [, saved = ""] =
      /--json: standard output took only part of the record; it is in (\S+) instead/.exec(piped.stderr) ?? [];
    expectWhole(readRecord(saved));
  });
});

describe("a disk that fills up", () => {
  /** Runs a line with a file system of 64 KB at ./small, seen by it alone. */
  const onSmallDisk = (room: Room, line: string) =>
    shell(
      `mkdir small && unshare -m sh -c 'mount -t tmpfs -o size=64k tmpfs small && { ${line}; }; code=$?; cp small/* kept/; exit $code'`,
      { cwd: room.path, env: { TMPDIR: room.path } },
    );

  itWith(mountNamespaces, "has the record saved elsewhere, and leaves what was there", async () => {
    const server = await serveFast();
    const room = new Room();
    const run = `"$NODE" "$TAILRACE" run --rate 200 --duration 1s --json small/run.json ${server.url}/`;
    const fill = "mkdir kept; echo older > small/run.json; head -c 100000 /dev/zero > small/filler 2>/dev/null";
    const { code, stdout, stderr } = await onSmallDisk(room, `${fill}; ${run}`);
    expect(code).toBe(1);
    expect(stdout).toContain("scheduled =");
    const [, saved = ""] =
      /could not be written: no space is left on the disk; it is in (\S+) instead/.exec(stderr) ?? [];
    expectWhole(readRecord(saved));
    expect(room.read("kept/run.json")).toBe("older\n");
    expect((await shell("ls kept", { cwd: room.path })).stdout).toBe("filler\nrun.json\n");
  });

  itWith(mountNamespaces, "under --samples does not end the run; what fitted is kept", async () => {
    const server = await serveFast();
    const room = new Room();
    const files = "--samples small/samples.csv --json -";
    const run = `mkdir kept; "$NODE" "$TAILRACE" run --rate 1000 --duration 2s ${files} ${server.url}/`;
    const { code, stdout, stderr } = await onSmallDisk(room, run);
    expect(code).toBe(1);
    const record = recordOf(stdout);
    expectWhole(record);
    expect(record.ended).toEqual({ how: "completed" });
    expect((await server.stats()).counts.arrivals).toBe(record.requests.sent);
    expect(stderr.replace(/\s+/g, " ")).toMatch(
      /--samples: \S+samples\.csv is not whole: no space is left on the disk; what fitted is in \S+\.part/,
    );
    expect(room.read("kept/samples.csv.part").length).toBeGreaterThan(30_000);
  });
});
