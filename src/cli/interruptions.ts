export interface Interruptions {
  readonly stopSchedule: AbortSignal;
  readonly stopNow: AbortSignal;
  /** Ctrl-C ends the process again. */
  readonly release: () => void;
}

/** Ctrl-C and SIGTERM as two signals: the first ends the schedule, the second everything, a third the process. */
export function interruptions(onInterrupt: (times: number) => void): Interruptions {
  const schedule = new AbortController();
  const now = new AbortController();
  let times = 0;
  const interrupt = () => {
    times++;
    if (times === 1) schedule.abort();
    else if (times === 2) now.abort();
    else process.exit(130);
    onInterrupt(times);
  };
  process.on("SIGINT", interrupt);
  process.on("SIGTERM", interrupt);
  return {
    stopSchedule: schedule.signal,
    stopNow: now.signal,
    release: () => {
      process.off("SIGINT", interrupt);
      process.off("SIGTERM", interrupt);
    },
  };
}
