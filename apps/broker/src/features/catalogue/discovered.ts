import { cleanDefinition } from './clean-definition.ts';
import { definitionHash } from './definition-hash.ts';
import { exposeName, exposeUri } from './exposed-name.ts';
import type { ServerFeature } from './server-features.ts';
import type { Era } from './snapshot.ts';
import type { CapabilityKind, StoredCapability } from './tables.ts';

/** What a server offers: its own definitions, unchanged. */
export type Discovered = {
  era: Era | undefined;
  instructions: string | undefined;
  /** Undefined when the server itself was not asked, as with a manifest's snapshot. */
  features?: readonly ServerFeature[] | undefined;
  tools: readonly Record<string, unknown>[];
  prompts: readonly Record<string, unknown>[];
  resources: readonly Record<string, unknown>[];
  templates: readonly Record<string, unknown>[];
};

/** What identifies a definition: the address of a resource, the name of everything else. */
function keyOf(kind: CapabilityKind, body: Record<string, unknown>): string {
  const key = kind === 'resource' ? body['uri'] : kind === 'template' ? body['uriTemplate'] : body['name'];
  return typeof key === 'string' ? key : '';
}

/** The server's own resource addresses and templates, to look up which of them other servers use. */
export function urisOf(discovered: Discovered): string[] {
  return [
    ...discovered.resources.map((body) => keyOf('resource', body)),
    ...discovered.templates.map((body) => keyOf('template', body)),
  ];
}

/** Rows of the stored catalogue. Definitions without a key are left out; of two with the same key the first is kept. */
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
