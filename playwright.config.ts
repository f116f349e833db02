import { defineConfig } from '@playwright/test';
import { browserPath, journeyArguments, unneededArguments } from './e2e/browser.ts';

export default defineConfig({
  testDir: 'e2e/journeys',
  outputDir: 'test-results',
  snapshotPathTemplate: 'e2e/snapshots/{arg}{ext}',
  // both are for what hangs: they cost nothing where things come at once, and a slow machine may take its time
  timeout: 600_000,
  expect: { timeout: 60_000 },
  // each has a product of its own; one leaves half of two cores idle
  workers: 3,
  fullyParallel: false,
  reporter: [['list']],
  use: {
    launchOptions: {
      executablePath: await browserPath(),
      args: journeyArguments,
      ignoreDefaultArgs: unneededArguments,
    },
    locale: 'en-US',
    timezoneId: 'UTC',
    // tracing every test costs a fifth of the time; run with --trace on to look into one
    trace: 'off',
  },
});
