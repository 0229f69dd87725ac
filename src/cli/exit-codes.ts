/** What the exit code of a command tells a script. */
export const EXIT = {
  ok: 0,
  /** The run was cut short by a condition or a fault, or its results could not be written. */
  failed: 1,
  /** The command line, or its target, could not be used: nothing was measured. */
  usage: 2,
  /** Ctrl-C: what was measured until then is in the record. */
  interrupted: 130,
} as const;
