import { manifestIssues } from '@souk/contract/manifest/manifest-issues.ts';
import { registryMetaKey } from '@souk/contract/catalogue/registry.ts';
import { asRecord } from '#platform/json.ts';
import type { FoundEntry } from '../find-entries.ts';
import { NotImportable, type Target, type WantedServer } from '../wanted.ts';
import { readPackage } from './read-package.ts';
import { readRemote } from './read-remote.ts';
import { serverDocument, withCurrentNames, type ServerDocument } from './server-json-schema.ts';

export type RegistryStatus = { status: 'active' | 'deprecated' | 'deleted'; message: string | undefined };

/**
 * Reads a server of a `server.json`: its address over HTTP, else its first package that can be started here.
 * @throws NotImportable with a reason for each address and package
 */
export function readServerJson(found: FoundEntry): WantedServer {
  const document = parseServerJson(found.entry);
  const notes: string[] = [];
  const { status, message } = statusOf(found.meta, document.status);
  const said = message === undefined ? '' : `: ${message}`;
  if (status === 'deleted') throw new NotImportable(`its registry has deleted it${said}`);
  if (status === 'deprecated') notes.push(`Its registry says that it is deprecated${said}.`);
  const { name, title, description, version } = document;
  const look = {
    registryName: name,
    title: title ?? name.split('/').at(-1),
    description,
    version,
    icon: iconOf(document),
  };
  return { name, look, target: chooseTarget(document, notes), notes };
}

/** @throws NotImportable that names the field */
export function parseServerJson(entry: Record<string, unknown>): ServerDocument {
  const parsed = serverDocument.safeParse(withCurrentNames(entry));
  if (parsed.success) return parsed.data;
  const [issue] = manifestIssues(parsed.error);
  throw new NotImportable(`its server.json does not match the schema: ${issue?.path} ${issue?.message}`);
}

export function statusOf(meta: Record<string, unknown> | undefined, ofDocument?: string): RegistryStatus {
  const official = asRecord(meta?.[registryMetaKey]) ?? {};
  const status = official['status'] ?? ofDocument;
  const message = official['statusMessage'];
  return {
    status: status === 'deprecated' || status === 'deleted' ? status : 'active',
    message: typeof message === 'string' && message !== '' ? message.slice(0, 300) : undefined,
  };
}

/** Returns the first usable target; addresses before packages. */
function chooseTarget({ remotes, packages }: ServerDocument, notes: string[]): Target {
  const readers = [
    ...remotes.map((remote, index) => (said: string[]) => readRemote(remote, `remotes[${index}]`, said)),
    ...packages.map((given, index) => (said: string[]) => readPackage(given, `packages[${index}]`, said)),
  ];
  const reasons: string[] = [];
  for (const read of readers) {
    const notesOfTarget: string[] = [];
    try {
      const target = read(notesOfTarget);
      notes.push(...notesOfTarget);
      if (readers.length > 1) notes.push(otherWays(readers.length - 1));
      return target;
    } catch (error) {
      if (!(error instanceof NotImportable)) throw error;
      if (!reasons.includes(error.message)) reasons.push(error.message);
    }
  }
  throw new NotImportable(reasons.slice(0, 5).join('; ') || 'it names neither an address nor a package');
}

const otherWays = (count: number) =>
  count === 1
    ? 'Its server.json names one other way to run it.'
    : `Its server.json names ${count} other ways to run it.`;

/** Returns an icon in a format that the shop shows. */
function iconOf({ icons = [] }: ServerDocument): string | undefined {
  const shown = icons.find(({ src, mimeType }) => {
    const url = URL.parse(src);
    const isPicture =
      mimeType === undefined
        ? /\.(?:png|jpe?g|webp)$/i.test(url?.pathname ?? '')
        : /^image\/(?:png|jpe?g|webp)$/.test(mimeType);
    return url?.protocol === 'https:' && url.username === '' && isPicture;
  });
  return shown?.src;
}
