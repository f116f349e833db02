// npm run lighthouse [-- /marketplace …]: measures the first screens on a simulated phone with Lighthouse; --install only
// installs it. It is fetched from npm on demand, because with its dependencies it would add a fifth to every installation.
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { manyServers } from '../apps/broker/src/features/catalogue/testing/many-servers.ts';
import { installSet } from '../clients/install.ts';
import { browserArguments, browserPath } from '../e2e/browser.ts';
import { startProduct } from '../e2e/product.ts';
import { untilAllConnected } from '../e2e/until-all-connected.ts';

/** Target scores of 100. */
const targets = { performance: 95, accessibility: 100, 'best-practices': 100, seo: 100 } as const;
type Category = keyof typeof targets;
const categories = ['performance', 'accessibility', 'best-practices', 'seo'] as const satisfies readonly Category[];
const metrics = {
  'first-contentful-paint': 'FCP ms',
  'largest-contentful-paint': 'LCP ms',
  'total-blocking-time': 'TBT ms',
  'cumulative-layout-shift': 'CLS',
} as const;

/** Servers in addition to the nine bundled ones. */
const moreServers = 51;
const screens = ['/', '/marketplace', '/service/travel'];
/** EX_USAGE of sysexits.h. */
const exitUsage = 64;
const longestRunMs = 180_000;

const reportSchema = z.object({
  categories: z.record(
    z.string(),
    z.object({
      score: z.number().nullable(),
      auditRefs: z.array(z.object({ id: z.string(), weight: z.number() })),
    }),
  ),
  audits: z.record(
    z.string(),
    z.object({ title: z.string(), score: z.number().nullable(), numericValue: z.number().optional() }),
  ),
});
type Report = z.infer<typeof reportSchema>;

const asked = process.argv.slice(2);
if (asked.length === 1 && asked[0] === '--install') await installSet('lighthouse', AbortSignal.timeout(longestRunMs));
else if (asked.every((path) => path.startsWith('/'))) process.exitCode = await run(asked.length > 0 ? asked : screens);
else {
  console.error('npm run lighthouse [-- /path … | --install]');
  process.exitCode = exitUsage;
}

/** @returns the exit code: 0 if every page reaches every target */
async function run(paths: readonly string[]): Promise<number> {
  const [folder, chromium] = [await installSet('lighthouse', AbortSignal.timeout(longestRunMs)), await browserPath()];
  const own = await mkdtemp(join(tmpdir(), 'souk-lighthouse-'));
  for (const { manifest } of manyServers(moreServers, 0).servers) {
    const served = { ...manifest, connection: { type: 'http', url: 'service:travel' } };
    await writeFile(join(own, `${manifest.id}.json`), JSON.stringify(served));
  }
  const product = await startProduct({ env: { CATALOGUE_DIR: own } });
  const pages = [];
  try {
    await untilAllConnected(product.publicUrl);
    for (const path of paths) pages.push(present(path, await audit(folder, chromium, product.publicUrl + path)));
  } finally {
    await product.kill('SIGTERM');
    for (const left of [own, product.dataDir]) await rm(left, { recursive: true, force: true });
  }
  console.table(Object.fromEntries(pages.map(({ path, scores, figures }) => [path, { ...scores, ...figures }])));
  for (const { path, faults } of pages) for (const fault of faults) console.log(`${path} ${fault}`);
  const ok = pages.every(({ scores }) => categories.every((category) => (scores[category] ?? 0) >= targets[category]));
  console.log(JSON.stringify({ lighthouse: { ok, targets, pages } }));
  return ok ? 0 : 1;
}

/** Audits a visit with an empty cache by a phone as Lighthouse simulates it: 4 times slower, on a slow mobile network. */
async function audit(folder: string, chromium: string, url: string): Promise<Report> {
  const program = join(folder, 'node_modules/lighthouse/cli/index.js');
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [
      program,
      url,
      '--quiet',
      '--output=json',
      '--output-path=stdout',
      `--only-categories=${categories.join(',')}`,
      `--chrome-flags=${['--headless', ...browserArguments].join(' ')}`,
      '--no-enable-error-reporting',
    ],
    { env: { ...process.env, CHROME_PATH: chromium }, timeout: longestRunMs, maxBuffer: 64 * 1024 * 1024 },
  );
  return reportSchema.parse(JSON.parse(stdout));
}

function present(path: string, { categories: found, audits }: Report) {
  const scores = Object.fromEntries(
    categories.map((category) => [category, Math.round((found[category]?.score ?? 0) * 100)]),
  );
  const figures = Object.fromEntries(
    Object.entries(metrics).map(([id, name]) => [name, Math.round((audits[id]?.numericValue ?? NaN) * 1000) / 1000]),
  );
  // performance scores are gradual; every other audit that does not pass is a fault
  const counted = categories
    .filter((category) => category !== 'performance')
    .flatMap((category) => found[category]?.auditRefs.filter(({ weight }) => weight > 0) ?? []);
  const faults = counted.flatMap(({ id }) => {
    const { score, title } = audits[id] ?? { score: 0, title: '' };
    return score !== null && score < 1 ? [`${id}: ${title}`] : [];
  });
  return { path, scores, figures, faults };
}
