import { randomBytes } from 'node:crypto';
import { createServerIndex, firstOnHome, mountCatalogueRoutes } from '#features/catalogue/index.ts';
import { manyServers } from '../features/catalogue/testing/many-servers.ts';
import { systemClock } from '#platform/clock.ts';
import { readConfig } from '#platform/config.ts';
import { buildServer } from '#platform/http/server.ts';
import { createRouter } from '#platform/http/router.ts';
import { createIds } from '#platform/ids.ts';
import { createLog } from '#platform/log.ts';
import { buildWeb } from '../web-app/build-web.ts';
import { serveWeb } from '../web-app/serve-web.ts';
import { version } from '../version.ts';

/**
 * The shop for visitors, without servers: `shop-of-many.ts 3000 1000` invents as many as requested. They do not exist,
 * so that a thousand unreachable servers do not disturb a measurement.
 */
const [port = '3000', count = '1000'] = process.argv.slice(2);
const config = readConfig({ PORT: port, MASTER_KEY: randomBytes(32).toString('base64url') });
const log = createLog('warn');
const server = await buildServer({
  config,
  ids: createIds(systemClock),
  log,
  readiness: async () => ({ ready: true }),
});
const router = createRouter(server, async () => undefined);
const snapshot = manyServers(Number(count));
const used = new Map();
const indexOf = createServerIndex(() => used);
const homeOrder = (count: number) => firstOnHome(indexOf(snapshot), count);
const read = { snapshot: () => snapshot };
mountCatalogueRoutes(router, {
  // the routes of the shop read only the snapshot
  catalogue: read as Parameters<typeof mountCatalogueRoutes>[1]['catalogue'],
  indexOf,
  usedTogether: () => new Map(),
  config,
  clock: systemClock,
  version,
  protocolVersions: [],
  soldTerms: () => ({}),
});
await serveWeb(server, { folder: await buildWeb(), config, homeOrder, ...read });
await server.listen({ host: '127.0.0.1', port: config.port });
process.stdout.write(`${config.publicUrl} is ready\n`);
process.on('SIGTERM', () => process.exit(0));
