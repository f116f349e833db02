import { tmpdir } from 'node:os';
import { freePort } from '../network/free-port.ts';
import { initData, makePlace, runPostgres } from './postgres-server.ts';

export type PostgresCluster = {
  /** Address of the superuser and the database `postgres`. */
  url: string;
  /** Ends the server immediately and removes its files. */
  stop(): Promise<void>;
};

/**
 * Starts a temporary PostgreSQL on a free loopback port, without fsync.
 * @param binaries folder of initdb and postgres
 * @param parent folder for its own folder
 */
export async function startPostgresCluster(binaries: string, parent = tmpdir()): Promise<PostgresCluster> {
  const place = await makePlace(binaries, parent);
  try {
    await initData(place, 'data');
    const settings = ['full_page_writes=off', 'synchronous_commit=off', 'max_connections=200'];
    const server = await runPostgres(place, 'data', await freePort(), settings);
    return {
      url: server.url,
      async stop() {
        await server.stop();
        await place.remove();
      },
    };
  } catch (error) {
    await place.remove();
    throw error;
  }
}
