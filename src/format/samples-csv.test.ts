import { describe, expect, it } from "vitest";
import { SAMPLES_HEADER, type SampleRow, sampleLine } from "./samples-csv.js";

const answered: SampleRow = {
  arrival: 12,
  intendedNs: 240_000_000,
  sentNs: 240_050_001,
  firstByteNs: 245_000_000,
  doneNs: 245_100_000,
  outcome: "ok",
  status: 200,
  fresh: false,
};

/** A line by the header's names. */
function fieldsOf(line: string): Record<string, string> {
  expect(line.endsWith("\n")).toBe(true);
  const [names, values] = [SAMPLES_HEADER, line].map((text) => text.trimEnd().split(","));
  expect(values).toHaveLength(names!.length);
  return Object.fromEntries(names!.map((name, i) => [name, values![i]!]));
}

describe("a line of samples", () => {
  it("has a request's times to the nanosecond, in ms, under the header's names", () => {
    expect(fieldsOf(sampleLine(answered))).toEqual({
      arrival: "12",
      intended_ms: "240.000000",
      sent_ms: "240.050001",
      first_byte_ms: "245.000000",
      done_ms: "245.100000",
      response_ms: "5.100000",
      service_ms: "5.049999",
      outcome: "ok",
      status: "200",
      connection: "reused",
    });
  });

  it("says of a fresh connection that it was one", () => {
    expect(fieldsOf(sampleLine({ ...answered, fresh: true })).connection).toBe("new");
  });

  it("leaves blank what never came", () => {
    const cut = { ...answered, firstByteNs: Number.NaN, outcome: "timeout", status: 0 };
    expect(fieldsOf(sampleLine(cut))).toMatchObject({
      sent_ms: "240.050001",
      first_byte_ms: "",
      status: "",
      outcome: "timeout",
      connection: "reused",
    });
    expect(fieldsOf(sampleLine({ ...cut, sentNs: Number.NaN }))).toMatchObject({
      sent_ms: "",
      response_ms: "5.100000",
      service_ms: "",
      connection: "",
    });
  });
});
