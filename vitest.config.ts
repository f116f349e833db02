import { execFileSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

// Many tests start programs: what Node compiled is kept for the next, as for our own starts (scripts/run.mjs).
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, 'node_modules/.cache/compiled');

const engines = 'e2e/engines/*.test.ts';
/** For what hangs. A machine may be many times slower than ours, and no test fails for that. */
const patience = { testTimeout: 600_000, hookTimeout: 600_000, expect: { poll: { timeout: 300_000 } } };

/** Vitest starts large files first. These are small and take long: started last, they would run when all others have ended. */
const smallAndSlow = [
  'e2e/conformance.test.ts',
  'protocol/input-rounds/lost-rounds.test.ts',
  'platform/db/embedded/embedded-durability.test.ts',
  'upstreams/watch/watch-servers.test.ts',
  'bench/gateway.test.ts',
  'scripts/regular-expressions.test.ts',
  'platform/db/embedded/embedded-log.test.ts',
];

/**
 * The tests of a file come in an order of the commit: each commit brings another, and runs of one commit can be compared.
 * `--sequence.seed` runs them in the order of another.
 */
function seedOfCommit(): number {
  try {
    const commit = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: import.meta.dirname, stdio: 'pipe' });
    return Number.parseInt(commit.toString().slice(0, 8), 16);
  } catch {
    return 1; // a copy without its history
  }
}

class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isSlow = ({ moduleId }: TestSpecification) => smallAndSlow.some((file) => moduleId.endsWith(`/${file}`));
    return [...sorted.filter(isSlow), ...sorted.filter((file) => !isSlow(file))];
  }
}

export default defineConfig({
  test: {
    sequence: { sequencer: SlowFirst, seed: seedOfCommit() },
    projects: [
      {
        test: {
          name: 'unit',
          include: ['{apps,packages,services,scripts,bench}/**/*.test.ts'],
          // the tests wait for close to half of their time: two workers a core keep it busy
          maxWorkers: availableParallelism() * 2,
          // a process runs many files: each has its own databases, ports and folders, and a start costs more than most tests
          isolate: false,
          // as in the product (apps/broker/src/limit-memory.ts). Replacing the database's code in many threads can end a process:
          // V8 checks its list of code pages, and fails (nodejs/node#64500)
          execArgv: ['--no-wasm-tier-up', '--no-wasm-dynamic-tiering'],
          globalSetup: ['apps/broker/src/testing/databases/database-setup.ts'],
          sequence: { shuffle: { tests: true } },
          ...patience,
        },
      },
      {
        // whole-product tests: each file starts products of its own, which takes more than a core for a while
        test: {
          name: 'e2e',
          include: ['e2e/**/*.test.ts'],
          exclude: [engines],
          maxWorkers: 2,
          ...patience,
        },
      },
      {
        // the product in other browsers, where they are installed
        test: { name: 'engines', include: [engines], ...patience },
      },
    ],
  },
});
