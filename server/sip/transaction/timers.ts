/** Timer values of RFC 3261 section 17.1.1.1 and its table 4, in milliseconds. */
export const T1 = 500;
export const T2 = 4_000;
export const T4 = 5_000;
/** Timers B, F, H, J; of RFC 6026 L and M. */
export const GIVE_UP_MS = 64 * T1;
/** Timer D over UDP. */
export const TIMER_D_MS = 32_000;
/** After this time without an answer of ours a 100 is sent (section 17.2.1). */
export const TRYING_MS = 200;
