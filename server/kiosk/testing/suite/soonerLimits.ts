import { defaultLimits, type RecoveryLimits } from '../../recovery/recovery.ts';

/** Shorter limits than on a panel; the delays must not grow from one test to the next. */
export const soonerLimits: RecoveryLimits = {
  heartbeatEveryMs: 300,
  heartbeatLimitMs: 1_500,
  refusedMs: 2_500,
  backoff: Object.fromEntries(
    Object.keys(defaultLimits.backoff).map((cause) => [cause, { firstMs: 100, maxMs: 400, peaceMs: 0 }]),
  ) as unknown as RecoveryLimits['backoff'],
};
