import type { QuestionKind } from '@souk/contract/manifest/manifest-basics.ts';
import { eachInTurns } from '#platform/work/in-turns.ts';
import { cleanDefinition } from '../review/clean-definition.ts';
import { definitionHash } from '../review/definition-hash.ts';
import { exposeName, exposeUri, isOurUri, namesScheme } from '../snapshot/exposed-name.ts';
import type { LeftOut } from './left-out.ts';
import type { ServerFeature } from '../snapshot/server-features.ts';
import type { Era } from '../snapshot/snapshot.ts';
import type { CapabilityKind, StoredCapability } from '../tables.ts';

/** A server's own definitions, unchanged. */
export type Discovered = {
  era: Era | undefined;
  instructions: string | undefined;
  /** Undefined when the server itself was not asked, as with a manifest's snapshot. */
  features?: readonly ServerFeature[] | undefined;
  tools: readonly Record<string, unknown>[];
  prompts: readonly Record<string, unknown>[];
  resources: readonly Record<string, unknown>[];
  templates: readonly Record<string, unknown>[];
  /** Kind of question by tool, for tools that the server lists only to clients that can answer it. */
  asks?: ReadonlyMap<string, QuestionKind> | undefined;
  /** Invalid definitions, which are not in the lists. */
  leftOut?: readonly LeftOut[] | undefined;
  /** Tools that are listed without some keywords of their schemas. */
  mended?: readonly { name: string; places: readonly string[] }[] | undefined;
};

/** Returns what identifies a definition: the address of a resource, otherwise the name. */
function keyOf(kind: CapabilityKind, body: Record<string, unknown>): string {
  const key = kind === 'resource' ? body['uri'] : kind === 'template' ? body['uriTemplate'] : body['name'];
  return typeof key === 'string' ? key : '';
}

/** The server's own resource addresses and templates, to find those that other servers use too. */
export function urisOf(discovered: Discovered): string[] {
  return [
    ...discovered.resources.map((body) => keyOf('resource', body)),
    ...discovered.templates.map((body) => keyOf('template', body)),
  ];
}

/** Returns the rows to store, and what is left out: of two definitions with the same name, the first is stored. */
export async function toStored(
  slug: string,
  discovered: Discovered,
  takenUris: ReadonlySet<string>,
): Promise<{ items: StoredCapability[]; leftOut: LeftOut[] }> {
  const seen = new Set<string>();
  const leftOut = [...(discovered.leftOut ?? [])];
  const items: StoredCapability[] = [];
  const store = (kind: CapabilityKind, bodies: readonly Record<string, unknown>[]) =>
    eachInTurns(bodies, (body) => {
      const name = keyOf(kind, body);
      const byUri = kind === 'resource' || kind === 'template';
      const isTaken = takenUris.has(name) || isOurUri(name) || (kind === 'template' && !namesScheme(name));
      const exposedName = !byUri ? exposeName(slug, name) : isTaken ? exposeUri(slug, name) : name;
      if (name === '' || seen.has(`${kind} ${exposedName}`)) {
        leftOut.push({ kind, name, reason: name === '' ? 'it has no name' : 'its name is listed twice' });
        return;
      }
      seen.add(`${kind} ${exposedName}`);
      const { cleaned, flagged } = cleanDefinition(kind, body);
      const asks = kind === 'tool' ? discovered.asks?.get(name) : undefined;
      items.push({
        kind,
        name,
        exposedName,
        body: cleaned,
        sha256: definitionHash(body),
        flagged,
        ...(asks && { asks }),
      });
    });
  await store('tool', discovered.tools);
  await store('prompt', discovered.prompts);
  await store('resource', discovered.resources);
  await store('template', discovered.templates);
  return { items, leftOut };
}
