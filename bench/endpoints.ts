import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { migrations } from '../apps/broker/src/migrations.ts';
import { migrate } from '../apps/broker/src/platform/db/migrate.ts';
import { openDatabase } from '../apps/broker/src/platform/db/open-database.ts';
import { createLog } from '../apps/broker/src/platform/log.ts';
import { findPostgresBinaries } from '../apps/broker/src/testing/databases/postgres-binaries.ts';
import { startPostgresCluster } from '../apps/broker/src/testing/databases/postgres-cluster.ts';
import { UsageError, type Bench } from './bench.ts';
import { markdownTable } from './report/markdown-table.ts';
import { openShop, type ShopSize } from './parts/open-shop.ts';
import { createStatementCount, walkEndpoints, type Measured } from './parts/walk-endpoints.ts';
import { rounded } from './report/statistics.ts';

const usageText =
  'endpoints [--users 20000] [--manifests 1000] [--tools 10] [--calls 100000] [--rounds 3] [--database pglite|postgres] [--write]';
const page = join(import.meta.dirname, '../docs/endpoints.md');
/** What holds the event loop for longer is marked: others wait for it. */
const longTurnMs = 50;

/** Every route by the dearest legal request that we know. */
export const endpointsBench: Bench = {
  description: 'every route by its dearest legal request: statements, bytes, processor time, longest turn',
  usage: usageText,
  async run(args) {
    const { values } = parseArgs({
      args: [...args],
      options: {
        users: { type: 'string', default: '20000' },
        manifests: { type: 'string', default: '1000' },
        tools: { type: 'string', default: '10' },
        calls: { type: 'string', default: '100000' },
        rounds: { type: 'string', default: '3' },
        database: { type: 'string', default: findPostgresBinaries() ? 'postgres' : 'pglite' },
        write: { type: 'boolean', default: false },
      },
    });
    const [users, manifests, tools, calls, rounds] = [
      values.users,
      values.manifests,
      values.tools,
      values.calls,
      values.rounds,
    ].map(Number);
    const counts = [users, manifests, tools, calls, rounds];
    if (!counts.every((count) => Number.isInteger(count) && Number(count) > 0)) {
      throw new UsageError('counts are whole numbers from 1');
    }
    const size: ShopSize = {
      users: users ?? 1,
      manifests: manifests ?? 1,
      tools: tools ?? 1,
      calls: calls ?? 1,
      payments: Math.ceil((calls ?? 1) / 5),
      giantToolBytes: 60_000,
    };
    const results = await measure(values.database, size, rounds ?? 1);
    console.table(results.map(asRow));
    if (values.write) await writeFile(page, text(results, values.database, size));
    console.log(JSON.stringify({ bench: 'endpoints', ok: true, database: values.database, size, results }));
    return 0;
  },
};

async function measure(kind: string, size: ShopSize, rounds: number): Promise<Measured[]> {
  const dataDir = await mkdtemp(join(tmpdir(), 'souk-bench-'));
  const binaries = findPostgresBinaries();
  const cluster = kind === 'postgres' && binaries ? await startPostgresCluster(binaries) : undefined;
  try {
    const log = createLog('fatal', process.stderr);
    const own = await openDatabase({ databaseUrl: cluster?.url, dataDir, log, migrations });
    await migrate(own, migrations);
    const count = createStatementCount(own);
    const { app, shop } = await openShop(count.db, dataDir, size);
    try {
      count.watch(app);
      return await walkEndpoints(app, shop, count.statements, rounds);
    } finally {
      await app.stop();
    }
  } finally {
    await cluster?.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

function asRow({ route, what, status, statements, bytes, cpuMs, longestTurnMs }: Measured) {
  const kib = bytes / 1024;
  return {
    route,
    'dearest request': what,
    status,
    statements,
    KiB: kib < 10 ? rounded(kib) : Math.round(kib),
    'CPU ms': rounded(cpuMs),
    'longest turn ms': longestTurnMs > longTurnMs ? `**${rounded(longestTurnMs)}**` : rounded(longestTurnMs),
  };
}

/** docs/endpoints.md: as oxfmt would write it. */
function text(results: readonly Measured[], database: string, size: ShopSize): string {
  const rows = results
    .toSorted((one, other) => other.longestTurnMs - one.longestTurnMs)
    .map((one) => Object.values(asRow(one)).map(String));
  const head = ['route', 'dearest request', 'status', 'statements', 'KiB', 'CPU ms', 'longest turn ms'];
  const table = markdownTable(
    head,
    rows.map(([route = '', ...rest]) => [`\`${route}\``, ...rest]),
  );
  return `# Every endpoint by its dearest request

\`npm run bench -- endpoints --write\` writes this page: for each route of the API, the OAuth server, the link and the pages the dearest
legal request that we know (\`bench/parts/dearest-requests.ts\`; a route without one fails \`npm test\`). Measured with
${size.users.toLocaleString('en')} users, ${size.manifests.toLocaleString('en')} manifests of which half are deployed with ${size.tools} tools each, one server with 512 tools of ${size.giantToolBytes / 1000} KB, and
one person with ${size.calls.toLocaleString('en')} calls and ${size.payments.toLocaleString('en')} payments, on ${database === 'postgres' ? 'PostgreSQL' : 'the embedded database'}. The dearest stand first; a turn of the event loop of more
than ${longTurnMs} ms is bold, since everybody else waits for it. CPU is of the thread that serves: the database and the compression are
others. \`npm test\` holds the statements and the bytes (\`bench/endpoints.test.ts\`).

${table}
`;
}
