import { describe, expect, it } from "vitest";
import { tailrace } from "../support/cli.js";
import { listen } from "../support/listener.js";
import { Room } from "../support/room.js";

/** Nothing that holds this may be written anywhere. */
const SECRET = "s3cr3t";
const encoded = Buffer.from(`someone:${SECRET}-user`).toString("base64");

const HEADERS = [
  `Authorization: Bearer ${SECRET}-1`,
  `cookie: session=${SECRET}-2`,
  `X-Api-Key: ${SECRET}-3`,
  `X-Auth-Token: ${"$"}{TOKEN}`,
].flatMap((header) => ["-H", header]);
const FLAGS = [...HEADERS, "-d", `password=${SECRET}-5`];
const env = { TOKEN: `${SECRET}-4` };

describe("secrets", () => {
  it("reach the server and nothing else", async () => {
    const server = await listen({ status: 500 });
    const room = new Room();
    const url = `http://127.0.0.1:${server.port}/p?token=${SECRET}-6&id=7&api_key=${SECRET}-7`;
    const files = ["json", "hlog", "hgrm", "samples"].flatMap((kind) => [`--${kind}`, room.file(kind)]);
    const plan = ["--rate", "50", "--duration", "300ms", ...FLAGS];
    const run = await tailrace(["run", ...plan, ...files, url], { env });
    expect(run.code).toBe(0);
    const reached = JSON.stringify(server.arrivals[0]);
    for (const i of [1, 2, 3, 4, 5, 6, 7]) expect(reached).toContain(`${SECRET}-${i}`);
    await tailrace(["run", ...plan, "--json", room.file("again"), url], { env });
    const merged = await tailrace(["merge", room.file("json"), room.file("again"), "-o", room.file("merged")]);
    expect(merged.code).toBe(0);
    const report = await tailrace(["report", room.file("json")]);
    const said = [run, merged, report].flatMap(({ stdout, stderr }) => [stdout, stderr]);
    const written = room.list().map((name) => room.read(name));
    expect(written.every((text) => text.length > 0)).toBe(true);
    for (const text of [...said, ...written]) expect(text).not.toContain(SECRET);
    expect(room.read("json")).toContain("id=7");
    expect(room.read("json")).toContain("[redacted]");
  });

  it("are hidden where they come with the user or the URL", async () => {
    const server = await listen();
    const room = new Room();
    const host = `127.0.0.1:${server.port}/`;
    const user = ["-u", `someone:${SECRET}-user`, `http://${host}`];
    const inUrl = [`http://someone:${SECRET}-user@${host}`];
    for (const [name, words] of Object.entries({ user, inUrl })) {
      const { code, stdout, stderr } = await tailrace(["run", "--requests", "2", "--json", room.file(name), ...words]);
      expect({ name, code }).toEqual({ name, code: 0 });
      for (const text of [stdout, stderr, room.read(name)]) {
        expect(text).not.toContain(SECRET);
        expect(text).not.toContain(encoded);
      }
    }
    expect(server.arrivals.map(({ headers }) => headers.authorization)).toEqual(Array(4).fill(`Basic ${encoded}`));
  });

  it("do not show in --check, nor do those the server sets", async () => {
    const headers = { "Set-Cookie": `id=${SECRET}-8`, Location: `/next?token=${SECRET}-9&page=2` };
    const server = await listen({ headers, status: 302 });
    const url = `http://127.0.0.1:${server.port}/p?token=${SECRET}-6&id=7`;
    const { code, stdout, stderr } = await tailrace(["run", "--check", ...HEADERS, url], { env });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).not.toContain(SECRET);
    expect(stdout).toContain("> GET /p?token=[redacted]&id=7 HTTP/1.1");
    expect(stdout).toContain("> Authorization: [redacted]");
    expect(stdout).toContain("< Set-Cookie: [redacted]");
    expect(stdout).toContain("< Location: /next?token=[redacted]&page=2");
  });

  it("do not show in what is said of a target that is down", async () => {
    const url = `http://someone:${SECRET}@127.0.0.1:9/?token=${SECRET}`;
    const { code, stdout, stderr } = await tailrace(["run", ...FLAGS, url], { env });
    expect(code).toBe(2);
    expect(stdout + stderr).not.toContain(SECRET);
  });
});
