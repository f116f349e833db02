import { request, type Dispatcher } from 'undici';
import { readBounded } from '#platform/http/outgoing/read-bounded.ts';
import { asRecord, parseObject } from '#platform/json.ts';
import { eachAtMost } from '#platform/work/each-at-most.ts';
import { registries, readVersion } from './read-launch.ts';
import { NotImportable, type Launch, type ReadEntry } from './wanted.ts';

const timeoutMs = 5_000;
const maxBytes = 8 * 1024 * 1024;
const atOnce = 4;

/**
 * Returns the exact version that a tag of a package currently names. Throws an Error with the reason if it is unknown.
 */
export type FindVersion = (kind: 'npm' | 'pypi', name: string, tag: string) => Promise<string>;

/**
 * Finds versions at PyPI and at npm, or at the npm registry that the environment names.
 * @param options.dispatcher a guarded one
 */
export function createVersionFinder(options: { dispatcher: Dispatcher; environment: NodeJS.ProcessEnv }): FindVersion {
  const { dispatcher, environment } = options;
  const npm = environment['NPM_CONFIG_REGISTRY'] ?? environment['npm_config_registry'] ?? 'https://registry.npmjs.org/';
  return async (kind, name, tag) => {
    if (kind === 'npm') {
      const found = await ask(`${withSlash(npm)}${name.replace('/', '%2F')}/${encodeURIComponent(tag)}`, dispatcher);
      return textOf(found['version'] ?? asRecord(found['dist-tags'])?.[tag], tag);
    }
    // without its extras, as in name[extra]
    const [plain = name] = name.split('[', 1);
    const found = await ask(`https://pypi.org/pypi/${plain}/json`, dispatcher);
    return textOf(tag === 'latest' ? asRecord(found['info'])?.['version'] : undefined, tag);
  };
}

const withSlash = (address: string) => (address.endsWith('/') ? address : `${address}/`);

function textOf(version: unknown, tag: string): string {
  if (typeof version !== 'string') throw new Error(`it has no version "${tag}"`);
  return version;
}

async function ask(address: string, dispatcher: Dispatcher): Promise<Record<string, unknown>> {
  const answer = await request(address, {
    dispatcher,
    headers: { accept: 'application/json', 'accept-encoding': 'identity' },
    signal: AbortSignal.timeout(timeoutMs),
  }).catch((error: unknown) => {
    throw new Error('it did not answer', { cause: error });
  });
  answer.body.on('error', () => {});
  if (answer.statusCode !== 200) {
    answer.body.destroy();
    throw new Error(answer.statusCode === 404 ? 'it has no such package' : `it answered ${answer.statusCode}`);
  }
  const bytes = await readBounded(answer.body, maxBytes, () => new Error('its answer is larger than 8 MiB')).catch(
    (error: unknown) => {
      throw error instanceof Error && error.message.startsWith('its answer')
        ? error
        : new Error('it did not answer in time');
    },
  );
  const found = parseObject(bytes.toString('utf8'));
  if (!found) throw new Error('its answer is not JSON');
  return found;
}

/**
 * Returns the entries with exact versions of their packages. Refuses entries whose version is unknown, with what to
 * write.
 */
export async function withVersions(entries: readonly ReadEntry[], find: FindVersion): Promise<ReadEntry[]> {
  const found: ReadEntry[] = [...entries];
  const known = new Map<string, Promise<string>>();
  await eachAtMost(atOnce, entries.entries(), async ([index, entry]) => {
    if (!('target' in entry) || entry.target.kind !== 'program') return;
    const { launch } = entry.target;
    if (launch.kind === 'command' || 'exact' in launch.version) return;
    const { kind, name } = launch;
    const { tag } = launch.version;
    const asked = known.get(`${kind} ${name} ${tag}`) ?? find(kind, name, tag);
    known.set(`${kind} ${name} ${tag}`, asked);
    try {
      const version = readVersion(kind, name, await asked);
      if (!('exact' in version)) throw new Error('it names no exact version');
      const exact: Launch = { ...launch, version };
      const notes = [...entry.notes, `It has no exact version: ${registries[kind]} currently has ${version.exact}.`];
      found[index] = { ...entry, target: { ...entry.target, launch: exact }, notes };
    } catch (error) {
      const reason =
        error instanceof NotImportable ? 'it names no exact version' : error instanceof Error ? error.message : '';
      const example = kind === 'npm' ? `${name}@1.2.3` : `${name}==1.2.3`;
      const refused = `it has no exact version, and the lookup at ${registries[kind]} failed: ${reason}. Write one, such as ${example}`;
      found[index] = { name: entry.name, refused, notes: entry.notes };
    }
  });
  return found;
}
