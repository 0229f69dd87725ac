import { describe, expect, it } from "vitest";
import { FlagReader, oneOf } from "./flag-reader.js";

describe("FlagReader", () => {
  const colour = oneOf("red", "green");

  it("gives what a flag says, and the fallback where it is absent", () => {
    const reader = new FlagReader();
    expect(reader.read("--colour", " green ", colour, "red")).toBe("green");
    expect(reader.read("--colour", undefined, colour, "red")).toBe("red");
    expect(reader.problems).toEqual([]);
  });

  it("keeps every problem, under the flag's name, and goes on with the fallback", () => {
    const reader = new FlagReader();
    expect(reader.read("--colour", "blue", colour, null)).toBeNull();
    reader.refuse("--a excludes --b");
    reader.read("--colour", "", colour, "red");
    expect(reader.problems).toEqual([
      '--colour: "blue" is not one of red, green',
      "--a excludes --b",
      '--colour: "" is not one of red, green',
    ]);
  });
});
