import { cleanDefinition } from './clean-definition.ts';
import { definitionHash } from './definition-hash.ts';
import { exposeName, exposeUri } from './exposed-name.ts';
import type { ServerFeature } from './server-features.ts';
import type { Era } from './snapshot.ts';
import type { StoredCapability } from './store.ts';
import type { CapabilityKind } from './tables.ts';

/** What a server was found to offer: its own definitions, unchanged. */
export type Discovered = {
  era: Era | undefined;
  instructions: string | undefined;
  /** Undefined where nobody has heard it from the server itself. */
  features?: readonly ServerFeature[] | undefined;
  tools: readonly Record<string, unknown>[];
  prompts: readonly Record<string, unknown>[];
  resources: readonly Record<string, unknown>[];
  templates: readonly Record<string, unknown>[];
};

/** The key of a definition: resources go by address, all else by name. */
function keyOf(kind: CapabilityKind, body: Record<string, unknown>): string {
  const key = kind === 'resource' ? body['uri'] : kind === 'template' ? body['uriTemplate'] : body['name'];
  return typeof key === 'string' ? key : '';
}

/** Resource addresses and templates as the server itself writes them, for the look-up of those taken by others. */
export function urisOf(discovered: Discovered): string[] {
  return [
    ...discovered.resources.map((body) => keyOf('resource', body)),
    ...discovered.templates.map((body) => keyOf('template', body)),
  ];
}

/** Rows of the stored catalogue. A definition without a key, or one that stands twice, is left out: first one wins. */
export function toStored(slug: string, discovered: Discovered, takenUris: ReadonlySet<string>): StoredCapability[] {
  const seen = new Set<string>();
  const store = (kind: CapabilityKind, bodies: readonly Record<string, unknown>[]): StoredCapability[] =>
    bodies.flatMap((body) => {
      const name = keyOf(kind, body);
      if (name === '' || seen.has(`${kind} ${name}`)) return [];
      seen.add(`${kind} ${name}`);
      const byUri = kind === 'resource' || kind === 'template';
      const exposedName = !byUri ? exposeName(slug, name) : takenUris.has(name) ? exposeUri(slug, name) : name;
      const { cleaned, flagged } = cleanDefinition(body);
      return [{ kind, name, exposedName, body: cleaned, sha256: definitionHash(body), flagged }];
    });
  return [
    ...store('tool', discovered.tools),
    ...store('prompt', discovered.prompts),
    ...store('resource', discovered.resources),
    ...store('template', discovered.templates),
  ];
}
