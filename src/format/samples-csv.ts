/** A request as the engine samples it; times in ns from the schedule's start, NaN where it never came so far. */
export interface SampleRow {
  readonly arrival: number;
  readonly intendedNs: number;
  readonly sentNs: number;
  readonly firstByteNs: number;
  readonly doneNs: number;
  readonly outcome: string;
  readonly status: number;
  readonly fresh: boolean;
}

/** The first line of a samples file. One line a request, in the order in which they ended. */
export const SAMPLES_HEADER =
  "arrival,intended_ms,sent_ms,first_byte_ms,done_ms,response_ms,service_ms,outcome,status,connection\n";

export function sampleLine(row: SampleRow): string {
  const fields = [
    row.arrival,
    ms(row.intendedNs),
    ms(row.sentNs),
    ms(row.firstByteNs),
    ms(row.doneNs),
    ms(row.doneNs - row.intendedNs),
    ms(row.doneNs - row.sentNs),
    row.outcome,
    row.status === 0 ? "" : row.status,
    Number.isNaN(row.sentNs) ? "" : row.fresh ? "new" : "reused",
  ];
  return `${fields.join(",")}\n`;
}

const ms = (ns: number) => (Number.isNaN(ns) ? "" : (ns / 1e6).toFixed(6));
