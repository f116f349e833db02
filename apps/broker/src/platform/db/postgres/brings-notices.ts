import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { connectionOptions } from './postgres-pool.ts';

const withinMs = 3_000;

/** Whether a notice sent to a database arrives on a connection to `listenUrl`; undefined if either is unreachable. */
export async function bringsNotices(databaseUrl: string, listenUrl: string): Promise<boolean | undefined> {
  const [sender, listener] = [databaseUrl, listenUrl].map((url) => new Client(connectionOptions(url)));
  if (!sender || !listener) return undefined;
  const channel = `check_${randomUUID()}`;
  try {
    for (const client of [sender, listener]) client.on('error', () => {});
    await Promise.all([sender.connect(), listener.connect()]);
    await listener.query(`listen "${channel}"`);
    const heard = once(listener, 'notification').then(() => true);
    await sender.query('select pg_notify($1, $2)', [channel, '']);
    return await Promise.race([heard, pause(withinMs, false)]);
  } catch {
    return undefined;
  } finally {
    await Promise.allSettled([sender.end(), listener.end()]);
  }
}
