import { describe, expect, it } from "vitest";
import { answer, badServer } from "../support/bad-server.js";
import { tailrace } from "../support/cli.js";
import { Room } from "../support/room.js";

/** The complaints, without the name each line begins with and without the closing hint. */
function complaints(verb: string, stderr: string): string[] {
  const name = `tailrace ${verb}: `;
  return stderr
    .split("\n")
    .filter((line) => line.startsWith(name))
    .map((line) => line.slice(name.length));
}

describe("a command line with mistakes", () => {
  it("is told of every one of them at once, with the right form, and nothing is sent", async () => {
    const server = await badServer((socket) => socket.end(answer()));
    const room = new Room();
    const words = `--rat 50 --duration 30 --closed 4 --rate -5/s --json ${room.file("run.json")}`.split(" ");
    const { code, stdout, stderr } = await tailrace(["run", ...words, `127.0.0.1:${server.port}/`]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(complaints("run", stderr)).toEqual([
      "unknown option '--rat'; did you mean --rate?",
      `URL: "127.0.0.1:${server.port}/" has no scheme; write http://127.0.0.1:${server.port}/`,
      '--rate: "-5/s" is not above zero; a rate is like 50/s',
      expect.stringMatching(/^--rate with --closed: .* give --rate for an open loop or --closed N for a closed one$/),
      '--duration: "30" has no unit; write 30s, 30ms or 30us',
    ]);
    expect(stderr).toContain("Nothing was sent.");
    expect(server.seen.connections).toBe(0);
    expect(room.list()).toEqual([]);
  });

  it("has every kind of mistake told in its own words", async () => {
    const wrong: Readonly<Record<string, string>> = {
      "--arrivals regular": "one of poisson, constant",
      "--closed 2": "at most 2 threads",
      "--connections 1": "at most 1 thread",
      "--threads 3": "threads cannot share",
      "--duration 5s --warmup 5s": "--warmup: leaves nothing",
      "--tag nightly": "like --tag version=1.4.2",
      "--abort-on many": "'errors>50%'",
      "--expect-status ok": "200-299",
      "--seed x": '--seed: "x"',
      "--requests 0": '--requests: "0"',
      "--timeout -1s": '--timeout: "-1s" is negative',
      "--max-in-flight none": '--max-in-flight: "none"',
      "-H NoColon": "like 'Accept: application/json'",
      [`-H X-Secret:${"$"}{TAILRACE_TEST_UNSET}`]: "the environment has no variable TAILRACE_TEST_UNSET",
      "-X GE(T": "like GET or POST",
      "-d @/no/such/file": "-d: /no/such/file cannot be read: there is no such file",
      "--cacert /no/such/ca": "--cacert: /no/such/ca cannot be read",
      "--resolve example": "example.com:443:127.0.0.1",
      "--hlog /no/such/folder/run.hlog":
        "--hlog: /no/such/folder/run.hlog cannot be written: its folder does not exist",
      "-4 -6": "-4 and -6 exclude each other",
      stray: '"stray": not expected here',
      "--rate": "'--rate <rate>' argument missing",
    };
    const words = Object.keys(wrong).flatMap((flags) => flags.split(" "));
    const { code, stdout, stderr } = await tailrace(["run", "http://127.0.0.1:9/", ...words]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    for (const said of Object.values(wrong)) expect(complaints("run", stderr).join("\n")).toContain(said);
  });

  it("asks once before sending more than 1,000/s to another machine", async () => {
    const { code, stderr } = await tailrace(["run", "--rate", "1001", "http://192.0.2.1/"]);
    expect(code).toBe(2);
    expect(complaints("run", stderr)).toEqual([expect.stringMatching(/^--rate: 1,001\/s .*192\.0\.2\.1.* add --yes$/)]);
  });

  it("is treated alike by every other command", async () => {
    const lines = await Promise.all(
      [
        ["serve", "--prot", "5", "--wrokers", "3", "--service", "5"],
        ["merge", "--out", "x", "a.json"],
        ["report", "--josn"],
        ["demo", "--fast"],
      ].map(async ([verb = "", ...words]) => ({ verb, ...(await tailrace([verb, ...words])) })),
    );
    expect(lines.map(({ code }) => code)).toEqual([2, 2, 2, 2]);
    expect(lines.map(({ verb, stderr }) => complaints(verb, stderr))).toEqual([
      [
        "unknown option '--prot'; did you mean --port?",
        "unknown option '--wrokers'; did you mean --workers?",
        expect.stringMatching(/^--service: "5" has no unit/),
      ],
      expect.arrayContaining([expect.stringMatching(/^unknown option '--out'/), expect.stringMatching(/a\.json/)]),
      ["unknown option '--josn'", expect.stringMatching(/^missing the record/)],
      ["unknown option '--fast'"],
    ]);
  });
});
