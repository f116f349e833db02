import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readConfig } from '#platform/config.ts';
import {
  createVersionFinder,
  maxImportBytes,
  readEntries,
  UnreadableText,
  withVersions,
  type ReadEntry,
} from '#features/upstreams/index.ts';
import { createGuardedDispatcher } from '#platform/http/outgoing/guarded-fetch.ts';
import { createOutgoing } from '#platform/http/outgoing/outgoing.ts';
import { draftServers, type ImportedServer } from './import-servers.ts';
import { codeOf } from '#platform/thrown.ts';
import { ReportedError, required, UsageError, type CliOptions, type Values } from '../command.ts';
import { check, readSource } from './manifest-source.ts';
import { plain } from '../printable.ts';

type Written = ImportedServer & {
  file?: string;
  /** The problems that the running broker, or this configuration, finds now. */
  problems: string[];
};

/** `souk manifest import`: turns a client's configuration or a server.json into manifests, checks each and writes it to a folder. */
export async function importManifests(values: Values, cli: CliOptions): Promise<void> {
  const source = required(values, 'FILE', 'manifest import');
  const folder = typeof values.to === 'string' ? values.to : readConfig(cli.environment).catalogueDir;
  if (folder === undefined) throw new UsageError('set CATALOGUE_DIR, or name a folder with --to DIR');
  const entries = readText(await readSource(source, cli, maxImportBytes));
  const servers = draftServers(await withExactVersions(entries, cli));
  await mkdir(folder, { recursive: true });
  const written: Written[] = [];
  for (const server of servers) written.push(await write(server, folder, cli));
  if (values.json === true) cli.stdout(JSON.stringify({ servers: written }));
  else for (const server of written) print(server, cli.stdout);
  if (written.some(({ file }) => file === undefined)) throw new ReportedError();
}

function readText(source: Buffer): ReadEntry[] {
  try {
    return readEntries(source);
  } catch (error) {
    if (!(error instanceof UnreadableText)) throw error;
    throw new UsageError(`the configuration ${error.message}`);
  }
}

/** Looks up packages without a version at their registries, as the broker does. */
async function withExactVersions(entries: readonly ReadEntry[], { environment }: CliOptions): Promise<ReadEntry[]> {
  const config = readConfig(environment);
  const dispatcher = createGuardedDispatcher({
    allowAddresses: config.upstreamAllowAddresses,
    publicNeedsTls: true,
    outgoing: createOutgoing(config.outgoingProxy),
  });
  try {
    return await withVersions(entries, createVersionFinder({ dispatcher, environment }));
  } finally {
    await dispatcher.destroy();
  }
}

async function write(server: ImportedServer, folder: string, cli: CliOptions): Promise<Written> {
  const { manifest, id } = server;
  if (!manifest || id === undefined) return { ...server, problems: [] };
  const json = `${JSON.stringify(manifest, null, 2)}\n`;
  const checked = await check(Buffer.from(json), cli);
  const problems = checked.ok ? [] : checked.problems.map(({ path, message }) => `${path}: ${message}`);
  // other codes are about this installation, which may allow it later: the manifest itself is valid
  if (!checked.ok && checked.code === 'manifest_invalid') return { ...server, problems };
  const file = join(folder, `${id}.json`);
  try {
    await writeFile(file, json, { flag: 'wx' });
  } catch (error) {
    const code = codeOf(error);
    if (code === undefined) throw error;
    const reason = code === 'EEXIST' ? 'exists already and was not changed' : `cannot be written (${code})`;
    return { ...server, problems: [...problems, `${file} ${reason}`] };
  }
  return { ...server, file, problems };
}

function print(server: Written, stdout: (line: string) => void): void {
  const { name, file, refused, problems, variables, notes, allowlist } = server;
  stdout(plain(file === undefined ? `${name}: not imported` : `${name}: written to ${file}`));
  for (const line of [...(refused === undefined ? [] : [refused]), ...problems, ...notes]) stdout(`  ${plain(line)}`);
  if (variables.length > 0)
    stdout(`  Give the broker its secrets: ${variables.join(', ')} (or each with _FILE), and restart it.`);
  if (allowlist) for (const line of JSON.stringify(allowlist, null, 2).split('\n')) stdout(`    ${line}`);
  if (file !== undefined) stdout(`  Deploy it with: npm run souk -- manifest deploy ${file}`);
}
