import fc from "fast-check";
import { it } from "vitest";
import { mutated, parsePieces, responses } from "./responses.testkit.js";

it("explore", () => {
  for (const gen of [responses, mutated]) {
    const m = new Map<string, number>();
    for (const bytes of fc.sample(gen, 3000)) {
      const o = parsePieces([bytes]);
      const k = o.outcome.end + " " + o.problem;
      m.set(k, (m.get(k) ?? 0) + 1);
    }
    console.log([...m].sort((a, b) => b[1] - a[1]));
  }
});
