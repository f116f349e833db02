// A broker in a separate process, so that a test can kill it. Its settings are the environment, and its arguments are
// the addresses of this machine that it may call. It sends 'ready' when it knows what the servers offer.
import { join } from 'node:path';
import { readConfig } from '#platform/config.ts';
import { openDatabase } from '#platform/db/open-database.ts';
import { openWhenReachable } from '#platform/db/postgres/open-when-reachable.ts';
import { createLog } from '#platform/log.ts';
import { createApp } from '../app.ts';
import { paths } from '../paths.ts';

const config = readConfig(process.env);
const log = createLog(config.logLevel);
const { databaseUrl } = config;
/** Waits for a busy machine's PostgreSQL as the product does. */
const openPatiently = (url: string) =>
  openWhenReachable(() => openDatabase({ ...config, isStarting: true, log }), { databaseUrl: url, onAway: () => {} });
const empty = join(import.meta.dirname, 'empty-catalogue');
const db = databaseUrl === undefined ? undefined : await openPatiently(databaseUrl);
const app = await createApp({
  config,
  log,
  ...(db && { db }),
  allowAddresses: process.argv.slice(2),
  paths: { ...paths, catalogue: empty, services: empty },
});
db?.started?.();
await app.start();
await app.serversAsked;
process.once('disconnect', () => process.exit(1));
process.send?.('ready');
