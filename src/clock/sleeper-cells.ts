/** Layout of the memory a sleeper shares with its helper thread: a change counter (Int32) and a deadline (Float64). */
export const SLEEPER_BYTES = 16;
/** Index into an Int32Array: raised at each new deadline; what the helper waits on. */
export const SLEEPER_SEQUENCE = 0;
/** Index into a Float64Array: clock nanoseconds, or `Infinity` for none. */
export const SLEEPER_DEADLINE = 1;
