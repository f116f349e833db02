// A broker in a process of its own, so that a test can kill it. Its settings are the environment, and the addresses of this
// machine that it may call are its arguments. It sends 'ready' when it knows what the servers offer.
import { join } from 'node:path';
import { readConfig } from '#platform/config.ts';
import { createLog } from '#platform/log.ts';
import { createApp } from '../app.ts';
import { paths } from '../paths.ts';

const config = readConfig(process.env);
const empty = join(import.meta.dirname, 'empty-catalogue');
const app = await createApp({
  config,
  log: createLog(config.logLevel),
  allowAddresses: process.argv.slice(2),
  paths: { ...paths, catalogue: empty, services: empty },
});
await app.start();
await app.serversAsked;
process.once('disconnect', () => process.exit(1));
process.send?.('ready');
