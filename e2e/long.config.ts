import base from './playwright.config.ts';

/** Tests that take too long for every day: `npm run test:long`. */
export default {
  ...base,
  testDir: 'long',
  timeout: 300_000,
  // Some measure what a panel takes, or boot a whole machine.
  workers: 1,
  // Once more, in case the machine was too busy: nobody sits beside it.
  retries: 1,
};
