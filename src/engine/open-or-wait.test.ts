import { describe, expect, it } from "vitest";
import { OpenOrWait } from "./open-or-wait.js";

const US = 1e3;
const MS = 1e6;

/** After many answers of this length, on connections that took 100 µs to open. */
function experienced(serviceNs: number): OpenOrWait {
  const choice = new OpenOrWait();
  choice.opened(100 * US);
  for (let i = 0; i < 200; i++) choice.freed(serviceNs, i * MS);
  choice.looking(200 * MS);
  choice.freed(serviceNs, 200 * MS);
  return choice;
}

describe("open or wait", () => {
  it("opens for a server that takes longer to answer than a connection to open", () => {
    expect(experienced(5 * MS).waitNs(1, 1)).toBe(0);
    expect(experienced(5 * MS).waitNs(1, 20)).toBe(0);
  });

  it("waits where a busy connection will be free sooner", () => {
    expect(experienced(200 * US).waitNs(3, 64)).toBeGreaterThan(0);
    expect(experienced(200 * US).waitNs(60, 64)).toBe(0);
  });

  it("opens when none has come free although it looked: a freeze", () => {
    const choice = experienced(200 * US);
    choice.looking(201 * MS);
    expect(choice.waitNs(1, 64)).toBe(0);
  });

  it("does not take its own standstill for the server's: until it has looked, it knows nothing", () => {
    const choice = experienced(200 * US);
    // 50 ms pass without a look; then 30 requests are due at once.
    expect(choice.waitNs(20, 64)).toBeGreaterThan(0);
  });

  it("opens where nothing is busy", () => {
    expect(experienced(200 * US).waitNs(1, 0)).toBe(0);
  });
});
