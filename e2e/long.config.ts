import base from './playwright.config.ts';

/** What takes longer than a test of every day may: `npm run test:long`. */
export default { ...base, testDir: 'long', timeout: 300_000 };
