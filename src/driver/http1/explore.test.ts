import fc from "fast-check";
import { it } from "vitest";
import { askLlhttp } from "./llhttp.testkit.js";
import { mutated, parsePieces, responses } from "./responses.testkit.js";

it("explore", async () => {
  const seen = new Map<string, number>();
  const ends = new Map<string, number>();
  for (const [gen, n] of [
    [responses, 1500],
    [mutated, 3000],
  ] as const) {
    for (const bytes of fc.sample(gen, n))
      for (const m of ["GET", "HEAD"] as const) {
        const ours = parsePieces([bytes], m === "HEAD");
        const theirs = await Promise.race([
          askLlhttp(bytes, m),
          new Promise<never>((_, no) =>
            setTimeout(() => no(new Error("stuck " + m + JSON.stringify(bytes.toString("latin1")))), 2000),
          ),
        ]);
        ends.set(theirs.end + ours.outcome.end, (ends.get(theirs.end + ours.outcome.end) ?? 0) + 1);
        if (JSON.stringify(ours.outcome) !== JSON.stringify(theirs)) {
          const key = `${ours.outcome.end} (${ours.problem}) vs ${theirs.end}`;
          const c = seen.get(key) ?? 0;
          seen.set(key, c + 1);
          if (c < 4)
            console.log(
              key,
              m,
              JSON.stringify(bytes.toString("latin1")),
              JSON.stringify(ours.outcome),
              JSON.stringify(theirs),
            );
        }
      }
  }
  console.log(seen, ends);
}, 40000);
