import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { Client } from 'pg';
import type { Migration } from '#platform/db/database.ts';
import type { UsedShop } from './fill-shop.ts';
import { findPostgresBinaries } from './postgres-binaries.ts';

const run = promisify(execFile);
const folder = join(import.meta.dirname, '../../../../../e2e/upgrades');

export type Engine = 'embedded' | 'postgresql';

/** A shop of an earlier version, with what it must also have after an upgrade. */
export type ReleaseShop = UsedShop & {
  masterKey: string;
  rows: Readonly<Record<string, number>>;
  /** Migrations of that version, with the SHA-256 of their statements. */
  migrations: Readonly<Record<string, string>>;
};

export const hashesOf = (migrations: readonly Migration[]): Record<string, string> =>
  Object.fromEntries(
    migrations.map(({ name, statements }) => [
      name,
      createHash('sha256').update(JSON.stringify(statements)).digest('base64url'),
    ]),
  );

/** Returns the versions of which a shop is stored, as folders of e2e/upgrades. */
export const keptReleases = async (): Promise<string[]> =>
  (await readdir(folder)).filter((name) => /^\d+\.\d+\.\d+$/.test(name));

const shopFile = (version: string, engine: Engine) => join(folder, version, `${engine}.json`);
const dataFile = (version: string, engine: Engine) =>
  join(folder, version, engine === 'embedded' ? 'embedded.tar.zst' : 'postgresql.sql.zst');

export async function readReleaseShop(version: string, engine: Engine): Promise<ReleaseShop> {
  return JSON.parse(await readFile(shopFile(version, engine), 'utf8'));
}

/** @param from data folder of a closed embedded database, or address of a PostgreSQL database */
export async function writeReleaseShop(
  version: string,
  engine: Engine,
  shop: ReleaseShop,
  from: string,
): Promise<void> {
  await mkdir(join(folder, version), { recursive: true });
  await writeFile(shopFile(version, engine), `${JSON.stringify(shop, null, 2)}\n`);
  const data = engine === 'embedded' ? await tarOf(from) : Buffer.from(await dumpOf(from));
  await writeFile(
    dataFile(version, engine),
    zstdCompressSync(data, {
      params: {
        [constants.ZSTD_c_compressionLevel]: 19,
        // the databases of a cluster begin as copies of each other
        [constants.ZSTD_c_enableLongDistanceMatching]: 1,
        [constants.ZSTD_c_windowLog]: windowLog,
      },
    }),
  );
}

const windowLog = 27;

/** @param to an empty data folder, or the address of an empty PostgreSQL database */
export async function loadReleaseShop(version: string, engine: Engine, to: string): Promise<void> {
  const data = zstdDecompressSync(await readFile(dataFile(version, engine)), {
    params: { [constants.ZSTD_d_windowLogMax]: windowLog },
  });
  if (engine === 'embedded') {
    const file = join(to, 'db.tar');
    await writeFile(file, data);
    await run('tar', ['-xf', file, '-C', to]);
    return;
  }
  const client = new Client({ connectionString: to });
  await client.connect();
  try {
    await client.query(data.toString());
  } finally {
    await client.end();
  }
}

async function tarOf(dataDir: string): Promise<Buffer> {
  const { stdout } = await run('tar', ['-cf', '-', '--sort=name', '--owner=0', '--group=0', '-C', dataDir, 'db'], {
    encoding: 'buffer',
    maxBuffer: 2 ** 30,
  });
  return stdout;
}

/** Dumps as plain statements, which any client and any newer PostgreSQL can run. */
async function dumpOf(databaseUrl: string): Promise<string> {
  const program = join(findPostgresBinaries() ?? '', 'pg_dump');
  const { stdout } = await run(program, ['--inserts', '--no-owner', '--no-privileges', databaseUrl], {
    maxBuffer: 2 ** 30,
  });
  return stdout
    .split('\n')
    .filter((line) => !line.startsWith('\\') && !line.startsWith('SET transaction_timeout'))
    .join('\n');
}
