/**
 * What a run will do, decided before it starts and fixed by (plan, seed). Plain data: it crosses threads and machines,
 * and its recorded form lies in every run record. Times are milliseconds, as in the record.
 */
export interface Plan {
  readonly request: RequestPlan;
  readonly load: Load;
  /** Intended times at or past this many ms belong to no plan; `null`: until `requests` are used up. Includes the warm-up. */
  readonly durationMs: number | null;
  /** Requests scheduled at most, warm-up included; `null`: no limit. */
  readonly requests: number | null;
  /** Requests intended before this are kept apart from the figures. */
  readonly warmupMs: number;
  /** From the intended time; `null`: none. */
  readonly timeoutMs: number | null;
  /** `null`: elastic, a connection for each request in flight. Else a fixed pool of this many. */
  readonly connections: number | null;
  /** Requests due and not yet ended, in all; those past it wait in the schedule. */
  readonly maxInFlight: number;
  readonly threads: number;
  readonly pacing: "auto" | "spin" | "sleep";
  readonly seed: number;
  readonly tags: Readonly<Record<string, string>>;
  readonly abortOn: readonly AbortCondition[];
}

export type Load =
  | { readonly kind: "open"; readonly arrivals: "poisson" | "constant"; readonly ratePerS: number }
  | {
      readonly kind: "closed";
      readonly users: number;
      readonly thinkMs: number;
      /** What each user's sending interval would be if the server were never slow; enables the `corrected` histogram. */
      readonly expectedIntervalMs: number | null;
    };

export interface RequestPlan {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array | null;
  /** Inclusive ranges of status codes that count as ok. */
  readonly expectStatus: readonly (readonly [from: number, to: number])[];
  readonly keepAlive: boolean;
  /** `user:password`, sent as basic authentication. */
  readonly user: string | null;
  readonly unixSocket: string | null;
  /** As in curl: `host:port:address`, consulted before any name server. */
  readonly resolve: readonly string[];
  readonly family: 4 | 6 | null;
  /** PEM texts, not paths. */
  readonly tls: {
    readonly verify: boolean;
    readonly ca: string | null;
    readonly cert: string | null;
    readonly key: string | null;
    readonly servername: string | null;
  };
}

/** Ends the run early: the share (or count) of `metric` over the last seconds passed the threshold. */
export interface AbortCondition {
  readonly metric: "errors" | "timeouts" | "failures";
  readonly measure: "share" | "count";
  readonly threshold: number;
}

/** The plan as a record keeps it: secrets redacted, the body by its size, certificates by whether there were any. */
export type RecordedPlan = Omit<Plan, "request"> & { readonly request: RecordedRequest };

export type RecordedRequest = Omit<RequestPlan, "body" | "user" | "tls"> & {
  readonly bodyBytes: number;
  readonly user: string | null;
  readonly tls: { readonly verify: boolean; readonly customCa: boolean; readonly clientCertificate: boolean };
};
