import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { findPostgresBinaries } from '../apps/broker/src/testing/databases/postgres-binaries.ts';
import { countOf, type Bench } from './bench.ts';
import { withDatabase } from './parts/with-database.ts';
import { markdownTable } from './report/markdown-table.ts';
import { openShop, type ShopSize } from './parts/open-shop.ts';
import { createStatementCount, walkEndpoints, type Measured } from './parts/walk-endpoints.ts';
import { rounded } from './report/statistics.ts';

const usageText =
  'endpoints [--users 20000] [--manifests 1000] [--tools 10] [--calls 100000] [--rounds 3] [--database pglite|postgres] [--write]';
const page = join(import.meta.dirname, '../docs/endpoints.md');
/** Turns of the event loop that are marked as too long. */
const longTurnMs = 50;

/** Measures the most expensive legal request of every route. */
export const endpointsBench: Bench = {
  description: 'the most expensive legal request of every route: statements, bytes, processor time, longest turn',
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
    const calls = countOf(values.calls);
    const size: ShopSize = {
      users: countOf(values.users),
      manifests: countOf(values.manifests),
      tools: countOf(values.tools),
      calls,
      payments: Math.ceil(calls / 5),
      giantToolBytes: 60_000,
    };
    const results = await measure(values.database, size, countOf(values.rounds));
    console.table(results.map(asRow));
    if (values.write) await writeFile(page, text(results, values.database, size));
    console.log(JSON.stringify({ bench: 'endpoints', ok: true, database: values.database, size, results }));
    return 0;
  },
};

function measure(kind: string, size: ShopSize, rounds: number): Promise<Measured[]> {
  return withDatabase(kind, async (db, dataDir) => {
    const count = createStatementCount(db);
    const { app, shop } = await openShop(count.db, dataDir, size);
    try {
      count.watch(app);
      return await walkEndpoints(app, shop, count.statements, rounds);
    } finally {
      await app.stop();
    }
  });
}

function asRow({ route, what, status, statements, bytes, cpuMs, longestTurnMs }: Measured) {
  const kib = bytes / 1024;
  return {
    route,
    'most expensive request': what,
    status,
    statements,
    KiB: kib < 10 ? rounded(kib) : Math.round(kib),
    'CPU ms': rounded(cpuMs),
    'longest turn ms': longestTurnMs > longTurnMs ? `**${rounded(longestTurnMs)}**` : rounded(longestTurnMs),
  };
}

/** Returns the text of docs/endpoints.md, formatted like oxfmt. */
function text(results: readonly Measured[], database: string, size: ShopSize): string {
  const rows = results
    .toSorted((one, other) => other.longestTurnMs - one.longestTurnMs)
    .map((one) => Object.values(asRow(one)).map(String));
  const head = ['route', 'most expensive request', 'status', 'statements', 'KiB', 'CPU ms', 'longest turn ms'];
  const table = markdownTable(
    head,
    rows.map(([route = '', ...rest]) => [`\`${route}\``, ...rest]),
  );
  return `# The most expensive request of each endpoint

\`npm run bench -- endpoints --write\` writes this page. It measures each route of the API, the OAuth server, the link and the pages with
the most expensive legal request that we know (\`bench/parts/costliest-requests.ts\`; \`npm test\` fails if a route has none). The database, ${database === 'postgres' ? 'PostgreSQL' : 'embedded'}, has
${size.users.toLocaleString('en')} users and ${size.manifests.toLocaleString('en')} manifests. Half of the manifests are deployed, with ${size.tools} tools each; one server has 512 tools of ${size.giantToolBytes / 1000} KB; one
user has ${size.calls.toLocaleString('en')} calls and ${size.payments.toLocaleString('en')} payments.

Requests with the longest turns of the event loop come first. Turns of more than ${longTurnMs} ms are bold, because they delay all other requests.
CPU is that of the serving thread, without the database and the compression. \`npm test\` limits the statements and the bytes
(\`bench/endpoints.test.ts\`).

${table}
`;
}
