import type { Manifest } from '@souk/contract/manifest.ts';
import type { ServerStatus } from '@souk/contract/catalogue.ts';
import type { ServerFeature } from './server-features.ts';

export type Era = 'legacy' | 'modern';

/** A tool, prompt, resource or resource template of a deployed server, as last discovered. */
export type CatalogueItem = {
  serverId: string;
  /** The server's own name of it (a resource's uri, a template's uriTemplate). */
  name: string;
  /** Its name on /mcp, where all servers stand together. */
  exposedName: string;
  /** The server's own definition, texts cleaned. */
  definition: Record<string, unknown>;
  /** Credits a call; 0 for everything that is not a paid tool. */
  creditCost: number;
  /** A tool that is not what was trusted at deployment: in no list, and refused with a reason when called. */
  held: boolean;
  /** Characters that hide or turn text around were taken out of its texts. */
  flagged: boolean;
  /** When its title or description last changed without anybody being asked. */
  textChangedAtMs: number | undefined;
};

export type CatalogueServer = {
  id: string;
  slug: string;
  manifest: Manifest;
  status: ServerStatus;
  /** Why the status is what it is, in plain words. */
  statusDetail: string | undefined;
  /** The protocol era that the server was last seen to speak, and when. */
  era: { verdict: Era; atMs: number } | undefined;
  instructions: string | undefined;
  /** What it has besides tools; undefined where nobody has heard it from the server itself. */
  features: readonly ServerFeature[] | undefined;
  tools: readonly CatalogueItem[];
  /** Hidden until an administrator has approved how they changed. */
  heldTools: readonly CatalogueItem[];
  prompts: readonly CatalogueItem[];
  resources: readonly CatalogueItem[];
  templates: readonly CatalogueItem[];
  /** Changes when what it offers does, or what of it is held; not when it was merely asked again. */
  offersHash: string;
  /** Epoch milliseconds of the last discovery; undefined when there was none yet. */
  discoveredAtMs: number | undefined;
  deployedAtMs: number;
};

/** Every deployed server, sorted by name: what lists and calls read. Never changed in place. */
export type CatalogueSnapshot = {
  /** Grows with each change. */
  version: number;
  servers: readonly CatalogueServer[];
  byId: ReadonlyMap<string, CatalogueServer>;
  /** Held ones too, so that a call can say why. */
  toolsByExposedName: ReadonlyMap<string, CatalogueItem>;
  promptsByExposedName: ReadonlyMap<string, CatalogueItem>;
  resourcesByExposedName: ReadonlyMap<string, CatalogueItem>;
};

export function createSnapshot(version: number, servers: readonly CatalogueServer[]): CatalogueSnapshot {
  const sorted = [...servers].sort(
    (a, b) => a.manifest.name.localeCompare(b.manifest.name, 'en') || (a.id < b.id ? -1 : 1),
  );
  const index = (pick: (server: CatalogueServer) => readonly CatalogueItem[]) =>
    new Map(sorted.flatMap((server) => pick(server).map((item) => [item.exposedName, item] as const)));
  return {
    version,
    servers: sorted,
    byId: new Map(sorted.map((server) => [server.id, server])),
    toolsByExposedName: index((server) => [...server.tools, ...server.heldTools]),
    promptsByExposedName: index((server) => server.prompts),
    resourcesByExposedName: index((server) => server.resources),
  };
}
