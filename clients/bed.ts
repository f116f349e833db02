import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { findPostgresBinaries } from '../apps/broker/src/testing/databases/postgres-binaries.ts';
import { startPostgresCluster } from '../apps/broker/src/testing/databases/postgres-cluster.ts';
import { freePort } from '../apps/broker/src/testing/network/free-port.ts';
import { listenLocally } from '../apps/broker/src/testing/servers/listen-locally.ts';
import { newDataDir, runToEnd, startProduct, type Product } from '../e2e/product.ts';
import { untilAllConnected } from '../e2e/until-all-connected.ts';
import { openDoor, type Door } from './door.ts';
import { Person } from './person.ts';
import { startSharedNotes } from './shared-notes.ts';

export type BedOptions = {
  /** Number of brokers. Two brokers share PostgreSQL and get the requests in turn. */
  brokers: 1 | 2;
  /** unreachable: the broker supports client metadata documents, but each fetch of one is refused with 403. */
  documents: 'default' | 'unreachable';
  /** End of the link that clients get: a slash, as some users paste it, or nothing. */
  ending: '' | '/';
};

/** The product, started like `npm start`, behind a door. */
export type Bed = {
  publicUrl: string;
  link: string;
  door: Door;
  person(email: string): Person;
  /** Stops all brokers and starts them again on the same ports. */
  restart(): Promise<void>;
  close(): Promise<void>;
};

/** Higher limits, because all users come from one machine here. */
const limits = { SIGN_IN_PER_MINUTE: '1000', MCP_CALLS_PER_MINUTE_TOKEN: '1000', MCP_CALLS_PER_MINUTE_USER: '1000' };

export async function startBed({ brokers, documents, ending }: BedOptions): Promise<Bed> {
  const toClose: (() => Promise<unknown>)[] = [];
  const close = async () => {
    for (const one of toClose.splice(0).toReversed()) await one();
  };
  try {
    const door = await openDoor();
    toClose.push(() => door.close());
    const publicUrl = `http://localhost:${door.port}`;
    const env: NodeJS.ProcessEnv = { ...limits, PUBLIC_URL: publicUrl };
    if (documents === 'unreachable') {
      const refusing = await refuseAll();
      toClose.push(() => refusing.close());
      Object.assign(env, { CLIENT_DOCUMENTS: 'on', HTTPS_PROXY: refusing.url, NO_PROXY: 'localhost,127.0.0.1' });
    }
    if (brokers === 2) {
      const binaries = findPostgresBinaries();
      if (binaries === undefined) throw new Error('--brokers 2 needs PostgreSQL on this machine');
      const cluster = await startPostgresCluster(binaries);
      toClose.push(() => cluster.stop());
      env['DATABASE_URL'] = cluster.url;
      env['MASTER_KEY'] = randomBytes(32).toString('base64url');
      const notes = await startSharedNotes();
      toClose.push(() => notes.close());
      Object.assign(env, notes.env);
    }
    // the first start builds the web app, which may take longer than the deadline of a start
    await runToEnd(['apps/broker/src/build.ts']);
    const slots = await Promise.all(Array.from({ length: brokers }, () => reserveSlot(env)));
    toClose.push(() => Promise.all(slots.map((slot) => slot.remove())));
    const begin = async () => {
      // sequentially, because the first creates the tables
      for (const slot of slots) await slot.start();
      door.brokers = slots.map(({ port }) => port);
    };
    await begin();
    await untilAllConnected(publicUrl);
    return {
      publicUrl,
      link: `${publicUrl}/mcp${ending}`,
      door,
      person: (email) => new Person(publicUrl, email),
      async restart() {
        door.brokers = [];
        await Promise.all(slots.map((slot) => slot.stop()));
        await begin();
        await untilAllConnected(publicUrl);
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Reserves a data folder and a port for a broker that is started and stopped several times. */
async function reserveSlot(env: NodeJS.ProcessEnv) {
  const [port, dataDir] = await Promise.all([freePort(), newDataDir()]);
  let product: Product | undefined;
  const stop = async () => {
    await product?.kill('SIGTERM');
    product = undefined;
  };
  return {
    port,
    async start() {
      product = await startProduct({ port, dataDir, env });
    },
    stop,
    async remove() {
      await stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** Starts an outgoing proxy that refuses every request. */
async function refuseAll(): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer((_, answer) => void answer.writeHead(403).end());
  server.on('connect', (_, socket) => socket.end('HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n'));
  const { port, close } = await listenLocally(server);
  return { url: `http://127.0.0.1:${port}`, close };
}
