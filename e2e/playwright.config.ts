import { defineConfig } from '@playwright/test';

/** Tests as users: each worker starts the service for itself and attaches to its kiosk page. */
export default defineConfig({
  testDir: 'specs',
  globalSetup: './kioskService.ts',
  outputDir: '../test-results',
  // For two cores: what a worker runs waits half of the time, for a page, for a peer or for time itself.
  workers: 3,
  timeout: 60_000,
  expect: { timeout: 15_000 },
  forbidOnly: process.env.CI !== undefined,
  reporter: 'list',
});
