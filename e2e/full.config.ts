import base from './playwright.config.ts';

/** Tests with cameras, SIP agents and programs of others, which few have: `npm run test:full`. */
export default { ...base, testDir: 'full' };
