import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { configDefaults, defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

// Many tests start programs: what Node compiled is kept for the next, as for our own starts (scripts/run.mjs).
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, 'node_modules/.cache/compiled');

const timed = [
  'apps/broker/src/features/catalogue/large-catalogue.test.ts',
  'apps/broker/src/platform/http/closing-listener.test.ts',
  'e2e/attackers.test.ts',
  'e2e/hostile.test.ts',
  'e2e/restart-time.test.ts',
];
const engines = 'e2e/engines/*.test.ts';
// for what hangs, as below: the official conformance suite alone takes a slow machine two minutes
const wholeProduct = { testTimeout: 240_000, hookTimeout: 300_000 };

/** Vitest starts large files first. These are small and take long: started last, they would run when all others have ended. */
const smallAndSlow = [
  'e2e/conformance.test.ts',
  'protocol/input-rounds/lost-rounds.test.ts',
  'platform/db/embedded-durability.test.ts',
  'upstreams/watch/watch-servers.test.ts',
  'bench/gateway.test.ts',
  'scripts/regular-expressions.test.ts',
  'platform/db/embedded-log.test.ts',
];

class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isSlow = ({ moduleId }: TestSpecification) => smallAndSlow.some((file) => moduleId.endsWith(`/${file}`));
    return [...sorted.filter(isSlow), ...sorted.filter((file) => !isSlow(file))];
  }
}

export default defineConfig({
  test: {
    sequence: { sequencer: SlowFirst },
    projects: [
      {
        test: {
          name: 'unit',
          include: ['{apps,packages,services,scripts,bench}/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...timed],
          // the tests wait for close to half of their time: two workers a core keep it busy
          maxWorkers: availableParallelism() * 2,
          // a process runs many files: each has its own databases, ports and folders, and a start costs more than most tests
          isolate: false,
          globalSetup: ['apps/broker/src/testing/database-setup.ts'],
          // for what hangs; what must be quick says so itself, and a machine may be many times slower than ours
          testTimeout: 120_000,
          hookTimeout: 240_000,
          // Vitest's own second is too short for a busy machine
          expect: { poll: { timeout: 30_000 } },
        },
      },
      {
        // whole-product tests: each file starts products of its own, which takes more than a core for a while
        test: {
          name: 'e2e',
          include: ['e2e/**/*.test.ts'],
          exclude: [...timed, engines],
          maxWorkers: 2,
          ...wholeProduct,
        },
      },
      {
        // the product in other browsers, where they are installed
        test: { name: 'engines', include: [engines], ...wholeProduct },
      },
      {
        // tests that measure time: nothing else may run beside them
        test: { name: 'timed', include: timed, maxWorkers: 1, ...wholeProduct },
      },
    ],
  },
});
