import { defineConfig } from '@playwright/test';

/** Tests as users: each worker starts the service for itself and attaches to its kiosk page. */
export default defineConfig({
  testDir: 'specs',
  globalSetup: './kioskService.ts',
  outputDir: '../test-results',
  // Every worker runs a service and a browser, which wait for each other half of the time.
  workers: 2,
  timeout: 60_000,
  expect: { timeout: 15_000 },
  forbidOnly: process.env.CI !== undefined,
  reporter: 'list',
});
