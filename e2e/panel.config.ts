import base from './playwright.config.ts';

/** Tests on the virtual panel: `npm run test:panel`. An emulated panel takes minutes for a step. */
export default {
  ...base,
  testDir: 'panel',
  globalSetup: './panel/run.ts',
  timeout: 60 * 60_000,
  workers: 1,
  // The panel is one and stays: a second try would meet what the first one left.
  retries: 0,
};
