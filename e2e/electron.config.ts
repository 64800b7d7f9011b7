import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from '@playwright/test';
import { expectExceptions } from './electronExceptions.ts';
import config from './playwright.config.ts';

const SPECS = join(import.meta.dirname, 'specs');

/** What a spec says that opens a page of the kiosk: it starts one, or takes a page of the one that tests share. */
const OPENS_KIOSK =
  /kiosk(?:: true|,)|\b(?:openPage|openDemo|kioskPage|SipPanel)\b|\(\{[^{}]*\bpage\b[^{}]*\}\) =>/;

expectExceptions(SPECS);

/** The tests as users that see a page of the kiosk, in Electron. The others are of HTTP, MQTT, fleets or files. */
export default defineConfig({
  ...config,
  testMatch: readdirSync(SPECS).filter((name) => OPENS_KIOSK.test(readFileSync(join(SPECS, name), 'utf8'))),
});
