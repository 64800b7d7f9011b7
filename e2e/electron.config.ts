import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from '@playwright/test';
import { expectExceptions } from './electronExceptions.ts';
import config from './playwright.config.ts';

/** Folders of the tests as users: those of `npm test` and of `npm run test:full`. */
const FOLDERS = ['specs', 'full'].map((name) => join(import.meta.dirname, name));

/** What a spec says that opens a page of the kiosk: it starts one, or takes a page of the one that tests share. */
const OPENS_KIOSK =
  /kiosk(?:: true|,)|\b(?:openPage|openDemo|kioskPage|SipPanel)\b|\(\{[^{}]*\bpage\b[^{}]*\}\) =>/;

expectExceptions(FOLDERS);

/** The tests as users that see a page of the kiosk, in Electron. The others are of HTTP, MQTT, fleets or files. */
export default defineConfig({
  ...config,
  testDir: '.',
  testMatch: FOLDERS.flatMap((folder) => readdirSync(folder).map((name) => join(folder, name))).filter(
    (file) => OPENS_KIOSK.test(readFileSync(file, 'utf8')),
  ),
});
