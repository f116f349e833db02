import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { freePort } from '../network/free-port.ts';
import { runTool } from '../servers/guarded-process.ts';
import { initData, makePlace, runPostgres, type PostgresServer } from './postgres-server.ts';
import { startTcpProxy } from '../network/tcp-proxy.ts';

/**
 * A primary and a standby that has each commit before it is acknowledged, behind one address that is switched at a
 * failover.
 */
export type PostgresPair = {
  /** Address of the current primary. */
  url: string;
  port: number;
  /** Ends the primary as a crash does, and starts it again. */
  restart(): Promise<void>;
  /** Ends the primary permanently, and promotes the standby. */
  failOver(): Promise<void>;
  stop(): Promise<void>;
};

const common = ['max_connections=200', 'max_wal_senders=4', 'wal_level=replica', 'hot_standby=on'];
const standbyName = 'standby';
// a commit is acknowledged once the standby has it, so a failover loses nothing
const replicated = ['synchronous_commit=remote_write', `synchronous_standby_names=${standbyName}`];

export async function startPostgresPair(binaries: string): Promise<PostgresPair> {
  const place = await makePlace(binaries, tmpdir());
  const [firstPort, secondPort] = [await freePort(), await freePort()];
  await initData(place, 'first');
  // without these options at first: nothing could be committed before the standby runs
  const seed = await runPostgres(place, 'first', firstPort, common);
  const from = `host=127.0.0.1 port=${firstPort} user=souk application_name=${standbyName}`;
  const backup = [
    join(binaries, 'pg_basebackup'),
    '-D',
    join(place.folder, 'second'),
    '-R',
    '-X',
    'stream',
    '-c',
    'fast',
  ];
  await runTool([...backup, '-d', from], place.options);
  const standby = await runPostgres(place, 'second', secondPort, common);
  await seed.stop();
  const runFirst = () => runPostgres(place, 'first', firstPort, [...common, ...replicated]);
  let primary: PostgresServer = await runFirst();
  let target = firstPort;
  const proxy = await startTcpProxy({
    host: '127.0.0.1',
    get port() {
      return target;
    },
  });
  return {
    url: `postgresql://souk@127.0.0.1:${proxy.port}/postgres`,
    port: proxy.port,
    async restart() {
      await primary.stop();
      primary = await runFirst();
    },
    async failOver() {
      await primary.stop();
      await ask(standby.url, 'select pg_promote(true)');
      primary = standby;
      target = secondPort;
      proxy.cut();
    },
    async stop() {
      await proxy.close();
      await Promise.all([primary.stop(), standby.stop()]);
      await place.remove();
    },
  };
}

async function ask(url: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(statement).finally(() => client.end());
}
