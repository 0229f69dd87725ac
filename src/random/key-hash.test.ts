import { describe, expect, it } from "vitest";
import { uniformOfKey } from "./key-hash.js";

describe("uniformOfKey", () => {
  it("is the same everywhere: these values are part of the contract between replicas", () => {
    expect(uniformOfKey("/")).toBe(uniformOfKey("/"));
    expect(uniformOfKey("/items/42")).not.toBe(uniformOfKey("/items/43"));
    expect(["", "/", "/items/42"].map(uniformOfKey)).toMatchInlineSnapshot(`
      [
        0.6689221884589642,
        0.1435040095821023,
        0.17148177837952971,
      ]
    `);
  });

  it("spreads neighbouring keys evenly", () => {
    const cells = Array.from({ length: 20 }, () => 0);
    for (let i = 0; i < 20_000; i++) cells[Math.floor(uniformOfKey(`/items/${i}`) * 20)]! += 1;
    // χ² with 19 degrees of freedom passes 43.8 once in a thousand.
    const chiSquared = cells.reduce((sum, count) => sum + (count - 1000) ** 2 / 1000, 0);
    expect(chiSquared).toBeLessThan(43.8);
  });
});
