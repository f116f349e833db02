import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import type { Log } from '../../log.ts';
import { createChannels, quoted } from '../channels.ts';
import type { Query } from '../database.ts';
import { createHearing, heartbeatMs } from './hearing.ts';
import { connectionOptions } from './postgres-pool.ts';

const firstRetryMs = 200;
const longestRetryMs = 5000;
/**
 * Silence after which a connection counts as dead. A slow connection is kept, and so is one that answers but brings no
 * notices, as through a pooler: a new one would bring none either.
 */
const silentMs = 5_000;
/**
 * Sent on another connection, because a pooler delivers notices only to the connection that sent them. The setting ends with
 * its transaction, so that no pooler passes it on; with it, the statement does not wait for the disk.
 */
const heartbeat = `select set_config('synchronous_commit', 'off', true), pg_notify($1, $2)`;

export type Listener = {
  listen(channel: string, handler: (payload: string) => void, unheard?: () => void): Promise<() => Promise<void>>;
  deliveredUntilMs(): number;
  isUnheard(): boolean;
  close(): Promise<void>;
};

/**
 * One connection for LISTEN, opened at the first use and reopened after a loss. After a loss every handler is called with an
 * empty payload, since it may have missed something.
 * @param query runs on other connections than this one
 */
export function createListener(databaseUrl: string, log: Log, query: Query): Listener {
  const channels = createChannels(log);
  const isReachable = () =>
    query('select 1').then(
      () => true,
      () => false,
    );
  const hearing = createHearing(log, isReachable);
  /** Brings our own notices back to us. Each carries the time at which it was sent. */
  const heartbeatChannel = `heartbeat_${randomUUID()}`;
  let connection: Promise<Client> | undefined;
  /** The connection that listens, and when it last answered. */
  let listening: { client: Client; aliveAtMs: number } | undefined;
  let retry: NodeJS.Timeout | undefined;
  let beating: NodeJS.Timeout | undefined;
  let closed = false;

  const open = () =>
    connectClient(databaseUrl, log, {
      channel: heartbeatChannel,
      noticed(channel, payload) {
        // notices arrive in commit order: all that were committed before this one was sent have arrived
        if (channel === heartbeatChannel) hearing.heard(Number(payload));
        else channels.deliver(channel, payload);
      },
      ended: (client) => lost(client, firstRetryMs),
    });
  const lost = (client: Client | undefined, delayMs: number) => {
    listening = undefined;
    client?.removeAllListeners('end');
    if (closed || retry) return;
    retry = setTimeout(() => {
      retry = undefined;
      connection = reopen(delayMs);
      connection.catch(() => {}); // reopen has scheduled the next attempt
    }, delayMs);
    retry.unref();
  };
  const reopen = async (delayMs: number): Promise<Client> => {
    try {
      const client = await open();
      for (const name of channels.names()) await client.query(`listen ${quoted(name)}`);
      for (const name of channels.names()) channels.deliver(name, '');
      return watch(client);
    } catch (error) {
      lost(undefined, Math.min(delayMs * 2, longestRetryMs));
      throw error;
    }
  };
  const watch = (client: Client): Client => {
    listening = { client, aliveAtMs: performance.now() };
    hearing.begin();
    clearInterval(beating);
    beating = setInterval(beat, heartbeatMs).unref();
    beat();
    return client;
  };
  const beat = () => {
    hearing.check(listening !== undefined);
    const nowMs = performance.now();
    const current = listening;
    if (!current) return;
    if (nowMs - current.aliveAtMs > silentMs) return void current.client.end().catch(() => {});
    query(heartbeat, [heartbeatChannel, String(nowMs)]).catch(() => {}); // the next one may be sent
    current.client.query('select 1').then(
      () => (current.aliveAtMs = performance.now()),
      () => {}, // the next one may be answered
    );
  };

  return {
    async listen(channel, handler, unheard) {
      const stop = await channels.add(channel, handler, async (statement) => {
        if (!connection) {
          connection = open().then(watch);
          connection.catch(() => (connection = undefined)); // the next listen retries
        }
        await (await connection).query(statement);
      });
      const forget = unheard && hearing.onUnheard(unheard);
      return async () => {
        forget?.();
        await stop();
      };
    },
    deliveredUntilMs: hearing.untilMs,
    isUnheard: hearing.isUnheard,
    async close() {
      closed = true;
      clearTimeout(retry);
      clearInterval(beating);
      const client = await connection?.catch(() => undefined);
      await client?.end().catch(() => {});
    },
  };
}

/** Opens a connection that listens to one channel. @param on.ended called when the open connection ends */
async function connectClient(
  databaseUrl: string,
  log: Log,
  on: { channel: string; noticed(channel: string, payload: string): void; ended(client: Client): void },
): Promise<Client> {
  const client = new Client({
    ...connectionOptions(databaseUrl),
    application_name: 'souk notices',
    query_timeout: 1800,
  });
  client.on('notification', ({ channel, payload = '' }) => on.noticed(channel, payload));
  client.on('error', (error) => log.warn({ err: error }, 'the connection for notifications was lost'));
  await client.connect();
  client.on('end', () => on.ended(client));
  try {
    await client.query(`listen ${quoted(on.channel)}`);
  } catch (error) {
    client.removeAllListeners('end');
    void client.end().catch(() => {});
    throw error;
  }
  return client;
}
