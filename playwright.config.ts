import { defineConfig } from '@playwright/test';
import { browserPath, journeyArguments, unneededArguments } from './e2e/browser.ts';

export default defineConfig({
  testDir: 'e2e/journeys',
  outputDir: 'test-results',
  snapshotPathTemplate: 'e2e/snapshots/{arg}{ext}',
  // for what hangs: the longest takes 20 s with two cores to itself
  timeout: 120_000,
  // costs nothing where things come at once, and a busy machine may take its time
  expect: { timeout: 15_000 },
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
