import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** sun_path of sockaddr_un has 108 bytes with its final NUL (unix(7)). A longer path is cut or refused. */
const longestPathBytes = 107;

const socketName = 'souk.sock';
const pathFile = (dataDir: string) => join(dataDir, `${socketName}.path`);

/** Chooses the path of the operator's socket. If it is too long for the data folder, uses a 0700 folder and records its path. */
export async function placeSocket(dataDir: string): Promise<string> {
  const path = join(dataDir, socketName);
  if (Buffer.byteLength(path) <= longestPathBytes) return path;
  await removePlace(dataDir); // left by a broker that was killed
  const elsewhere = join(await mkdtemp(join(tmpdir(), 'souk-')), socketName);
  if (Buffer.byteLength(elsewhere) > longestPathBytes)
    throw new Error(`the temporary folder's path is too long: ${elsewhere}`);
  await writeFile(pathFile(dataDir), `${elsewhere}\n`, { mode: 0o600 });
  return elsewhere;
}

/** Returns where a broker on this data folder would listen, if it can be known. */
export async function findSocket(dataDir: string): Promise<string | undefined> {
  const path = join(dataDir, socketName);
  if (Buffer.byteLength(path) <= longestPathBytes) return path;
  try {
    return (await readFile(pathFile(dataDir), 'utf8')).trim();
  } catch {
    return undefined;
  }
}

/** Removes the socket, and its temporary folder if it has one. */
export async function removePlace(dataDir: string): Promise<void> {
  const path = await findSocket(dataDir);
  if (path === undefined) return;
  await rm(path, { force: true });
  if (path === join(dataDir, socketName)) return;
  await rm(dirname(path), { recursive: true, force: true });
  await rm(pathFile(dataDir), { force: true });
}
