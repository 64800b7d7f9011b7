/** Timer values of RFC 3261 section 17.1.1.1 and its table 4, in milliseconds. */
export const T1 = 500;
export const T2 = 4_000;
export const T4 = 5_000;
/** Timers B, F, H, J; L and M of RFC 6026. */
export const GIVE_UP_MS = 64 * T1;
/** Timer D over UDP. */
export const TIMER_D_MS = 32_000;
/** A 100 is sent if we have not answered within this time (section 17.2.1). */
export const TRYING_MS = 200;
