import type { QuestionKind } from '@souk/contract/manifest/manifest-basics.ts';
import type { Manifest } from '@souk/contract/manifest/manifest.ts';
import type { ServerStatus } from '@souk/contract/catalogue/catalogue.ts';
import type { ImmutableMap } from '../search/immutable-map.ts';
import type { PricesOfServer } from '../prices/read-prices.ts';
import type { ToolPrice } from '../prices/tool-price.ts';
import type { ServerFeature } from './server-features.ts';

export type Era = 'legacy' | 'modern';

/** A tool, prompt, resource or resource template of a deployed server, as last discovered. */
export type CatalogueItem = {
  serverId: string;
  /** The server's own name (a resource's uri, a template's uriTemplate). */
  name: string;
  /** Name on /mcp, which lists the items of all servers. */
  exposedName: string;
  /** The server's own definition, with cleaned texts. */
  definition: Record<string, unknown>;
  /** Hash of the definition as the server sent it. */
  sha256: string;
  /** JSON types of a tool's structuredContent (result-types.ts); undefined without an outputSchema. */
  resultTypes: readonly string[] | undefined;
  /** Credits per call; 0 for free tools and other items. */
  creditCost: number;
  price: ToolPrice;
  /** The tool differs from what was trusted at deployment: it is not listed, and calls are refused with the reason. */
  underReview: boolean;
  /** An administrator decided that the tool under review stays hidden. No decision is pending. */
  keptHidden: boolean;
  /** An administrator approved exactly this definition. */
  approved: boolean;
  /** Characters that hide or reorder text were removed. */
  flagged: boolean;
  /** The server lists it only to clients that can answer this while it runs. */
  asks?: QuestionKind | undefined;
  /** Time when its title or description last changed without an approval. */
  textChangedAtMs: number | undefined;
};

export type CatalogueServer = {
  id: string;
  slug: string;
  manifest: Manifest;
  status: ServerStatus;
  statusDetail: string | undefined;
  /** Time when it became connected or stopped being connected, in epoch milliseconds, if known. */
  statusSinceMs?: number | undefined;
  /** Last seen protocol era of the server, and when. */
  era: { verdict: Era; atMs: number } | undefined;
  instructions: string | undefined;
  /** Features other than tools; undefined if the server itself was not asked. */
  features: readonly ServerFeature[] | undefined;
  /** The manifest's icon, once fetched, on our own origin. */
  icon: { path: string; fetchedAtMs: number } | undefined;
  /** Sentences about definitions that are left out. */
  leftOut: string | undefined;
  /** Hash of the answer to its last discovery (answer-hash.ts). */
  answerSha256: string | undefined;
  /** Prices of its tools by name, personal tools included; free tools are missing. */
  prices: PricesOfServer;
  tools: readonly CatalogueItem[];
  /** Hidden until an administrator approves their changes, or because one keeps them hidden (hiddenTools). */
  toolsUnderReview: readonly CatalogueItem[];
  prompts: readonly CatalogueItem[];
  resources: readonly CatalogueItem[];
  templates: readonly CatalogueItem[];
  /** Changes with the server's offers and its tools under review, not with each discovery. */
  offersHash: string;
  /** Epoch milliseconds of the last discovery, if any. */
  discoveredAtMs: number | undefined;
  deployedAtMs: number;
};

/** Id and manifest of a server, deployed or not. */
export type ServerManifest = Pick<CatalogueServer, 'id' | 'manifest'>;

type ByName<Value> = Pick<ImmutableMap<Value>, 'get' | 'has'>;

/** Every deployed server, sorted by name, for lists and calls. Never changed in place. */
export type CatalogueSnapshot = {
  /** Grows with each change. */
  version: number;
  servers: readonly CatalogueServer[];
  byId: ByName<CatalogueServer>;
  /** Includes tools under review, so that a call can say why it is refused. */
  toolsByExposedName: ByName<CatalogueItem>;
  promptsByExposedName: ByName<CatalogueItem>;
  resourcesByExposedName: ByName<CatalogueItem>;
};

/** Whether the last discovery or check of a server failed. A server that was never asked is neither up nor down. */
export function isDown({ status, statusDetail }: Pick<CatalogueServer, 'status' | 'statusDetail'>): boolean {
  return status !== 'connected' && statusDetail !== undefined;
}

/** Separates hidden tools that wait for a decision from those that an administrator keeps hidden. */
export function hiddenTools({ toolsUnderReview }: Pick<CatalogueServer, 'toolsUnderReview'>): {
  waiting: CatalogueItem[];
  kept: CatalogueItem[];
} {
  return {
    waiting: toolsUnderReview.filter(({ keptHidden }) => !keptHidden),
    kept: toolsUnderReview.filter(({ keptHidden }) => keptHidden),
  };
}

export const lastUpdateMs = (server: CatalogueServer): number => server.discoveredAtMs ?? server.deployedAtMs;
