import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import type { Log } from '../log.ts';
import { createChannels } from './channels.ts';
import { connectionOptions } from './postgres-pool.ts';

const firstRetryMs = 200;
const longestRetryMs = 5000;
/** How often a notice to ourselves shows that notices come. */
const heartbeatMs = 2_000;
/**
 * A connection that answers none for so long died silently. One that is slow is kept, and so is one that answers and brings
 * no notice, as through a pooler: to open it anew has everything read again.
 */
const silentMs = 5_000;

export type Listener = {
  listen(channel: string, handler: (payload: string) => void): Promise<() => Promise<void>>;
  /** See Database. */
  heardUntilMs(): number;
  close(): Promise<void>;
};

/**
 * One connection for LISTEN, opened at the first use and again after a loss. After a loss every handler is called with an
 * empty payload, since it may have missed something.
 */
export function createListener(databaseUrl: string, log: Log): Listener {
  const channels = createChannels(log);
  /** Brings notices from ourselves to ourselves: the time at which each was sent. */
  const heartbeatChannel = `heartbeat_${randomUUID()}`;
  let heardUntilMs = Number.NEGATIVE_INFINITY;
  let connection: Promise<Client> | undefined;
  let retry: NodeJS.Timeout | undefined;
  let heartbeat: NodeJS.Timeout | undefined;
  let closed = false;

  const open = async (): Promise<Client> => {
    const client = new Client({
      ...connectionOptions(databaseUrl),
      application_name: 'souk notices',
      query_timeout: 1800,
    });
    client.on('notification', ({ channel, payload = '' }) => {
      // notices come in the order of their commits: all that were committed before this one was sent have come
      if (channel === heartbeatChannel) heardUntilMs = Number(payload);
      else channels.deliver(channel, payload);
    });
    client.on('error', (error) => log.warn({ err: error }, 'the connection for notifications was lost'));
    await client.connect();
    client.on('end', () => lost(client, firstRetryMs));
    // no heartbeat has to survive anything: the disk is not waited for
    try {
      await client.query('set synchronous_commit = off');
      await client.query(`listen "${heartbeatChannel}"`);
    } catch (error) {
      client.removeAllListeners('end');
      void client.end().catch(() => {});
      throw error;
    }
    return client;
  };
  const lost = (client: Client | undefined, delayMs: number) => {
    clearInterval(heartbeat);
    client?.removeAllListeners('end');
    if (closed || retry) return;
    retry = setTimeout(() => {
      retry = undefined;
      connection = reopen(delayMs);
      connection.catch(() => {}); // reopen has arranged the next try
    }, delayMs);
    retry.unref();
  };
  const reopen = async (delayMs: number): Promise<Client> => {
    try {
      const client = await open();
      for (const name of channels.names()) await client.query(`listen "${name.replaceAll('"', '""')}"`);
      for (const name of channels.names()) channels.deliver(name, '');
      watch(client);
      return client;
    } catch (error) {
      lost(undefined, Math.min(delayMs * 2, longestRetryMs));
      throw error;
    }
  };
  const watch = (client: Client) => {
    clearInterval(heartbeat);
    let aliveAtMs = performance.now();
    const beat = () => {
      const nowMs = performance.now();
      if (nowMs - aliveAtMs > silentMs) return void client.end().catch(() => {});
      client.query('select pg_notify($1, $2)', [heartbeatChannel, String(nowMs)]).then(
        () => (aliveAtMs = performance.now()),
        () => {}, // the next may be answered
      );
    };
    beat();
    heartbeat = setInterval(beat, heartbeatMs);
    heartbeat.unref();
  };
  const first = async (): Promise<Client> => {
    const client = await open();
    watch(client);
    return client;
  };

  return {
    async listen(channel, handler) {
      return channels.add(channel, handler, async (statement) => {
        if (!connection) {
          connection = first();
          connection.catch(() => (connection = undefined)); // the next listen tries again
        }
        await (await connection).query(statement);
      });
    },
    heardUntilMs: () => heardUntilMs,
    async close() {
      closed = true;
      clearTimeout(retry);
      clearInterval(heartbeat);
      const client = await connection?.catch(() => undefined);
      await client?.end().catch(() => {});
    },
  };
}
