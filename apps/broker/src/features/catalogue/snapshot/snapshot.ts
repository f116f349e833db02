import type { QuestionKind } from '@souk/contract/manifest/manifest-basics.ts';
import type { Manifest } from '@souk/contract/manifest/manifest.ts';
import type { ServerStatus } from '@souk/contract/catalogue/catalogue.ts';
import type { KeptIndex } from '../search/kept-index.ts';
import type { PricesOfServer } from '../prices/read-prices.ts';
import type { ToolPrice } from '../prices/tool-price.ts';
import type { ServerFeature } from './server-features.ts';

export type Era = 'legacy' | 'modern';

/** A tool, prompt, resource or resource template of a deployed server, as last discovered. */
export type CatalogueItem = {
  serverId: string;
  /** The server's own name for it (a resource's uri, a template's uriTemplate). */
  name: string;
  /** Its name on /mcp, which lists the items of all servers. */
  exposedName: string;
  /** The server's own definition, texts cleaned. */
  definition: Record<string, unknown>;
  /** Of the definition as the server sent it. */
  sha256: string;
  /** What a tool promises of the structuredContent of its results (result-types.ts); undefined: nothing. */
  resultTypes: readonly string[] | undefined;
  /** Credits a call; 0 unless it is a paid tool. */
  creditCost: number;
  /** How it came to cost so much, and what it will cost. */
  price: ToolPrice;
  /** A tool that differs from what was trusted at deployment: not listed, and refused with a reason when called. */
  underReview: boolean;
  /** Of a tool under review: an administrator has decided that it stays hidden as it is now. Nothing waits for a decision. */
  keptHidden: boolean;
  /** An administrator approved exactly this definition. */
  approved: boolean;
  /** Characters that hide or reorder text were removed from its texts. */
  flagged: boolean;
  /** The server lists it only to clients that it can ask this while it runs. */
  asks?: QuestionKind | undefined;
  /** When its title or description last changed without an approval. */
  textChangedAtMs: number | undefined;
};

export type CatalogueServer = {
  id: string;
  slug: string;
  manifest: Manifest;
  status: ServerStatus;
  /** The reason for the status, in plain words. */
  statusDetail: string | undefined;
  /** Since when it is connected, or is not, in epoch milliseconds; undefined where that is not known. */
  statusSinceMs?: number | undefined;
  /** The protocol era that the server was last seen to speak, and when. */
  era: { verdict: Era; atMs: number } | undefined;
  instructions: string | undefined;
  /** What it offers besides tools; undefined when the server itself was not asked. */
  features: readonly ServerFeature[] | undefined;
  /** The icon of its manifest, once it was fetched: its address under our own origin. */
  icon: { path: string; fetchedAtMs: number } | undefined;
  /** Which of its definitions are left out, and why, in sentences. */
  leftOut: string | undefined;
  /** Of what it answered to its last discovery (answer-hash.ts). */
  answerSha256: string | undefined;
  /** Of its tools, by name, also of those that it lists to some people only; a tool that is free is not in it. */
  prices: PricesOfServer;
  tools: readonly CatalogueItem[];
  /** Hidden until an administrator has approved how they changed, those that one keeps hidden too (hiddenTools). */
  toolsUnderReview: readonly CatalogueItem[];
  prompts: readonly CatalogueItem[];
  resources: readonly CatalogueItem[];
  templates: readonly CatalogueItem[];
  /** Changes when the server's offers do, or which of its tools are under review; not with each discovery. */
  offersHash: string;
  /** Epoch milliseconds of the last discovery; undefined when there was none yet. */
  discoveredAtMs: number | undefined;
  deployedAtMs: number;
};

/** What decides how a server is reached: also of one that is not deployed. */
export type ServerManifest = Pick<CatalogueServer, 'id' | 'manifest'>;

/** What has a name, found by it. */
type ByName<Value> = Pick<KeptIndex<Value>, 'get' | 'has'>;

/** Every deployed server, sorted by name, for lists and calls. Never changed in place. */
export type CatalogueSnapshot = {
  /** Grows with each change. */
  version: number;
  servers: readonly CatalogueServer[];
  byId: ByName<CatalogueServer>;
  /** Including tools under review, so that a call can say why it is refused. */
  toolsByExposedName: ByName<CatalogueItem>;
  promptsByExposedName: ByName<CatalogueItem>;
  resourcesByExposedName: ByName<CatalogueItem>;
};

/** Down: it was asked, and it did not answer as it should. One that was never asked is neither up nor down. */
export function isDown({ status, statusDetail }: Pick<CatalogueServer, 'status' | 'statusDetail'>): boolean {
  return status !== 'connected' && statusDetail !== undefined;
}

/** Hidden tools of a server: those that wait for a decision, and those that an administrator keeps hidden. */
export function hiddenTools({ toolsUnderReview }: Pick<CatalogueServer, 'toolsUnderReview'>): {
  waiting: CatalogueItem[];
  kept: CatalogueItem[];
} {
  return {
    waiting: toolsUnderReview.filter(({ keptHidden }) => !keptHidden),
    kept: toolsUnderReview.filter(({ keptHidden }) => keptHidden),
  };
}

/** Time of the last discovery, else of the deployment. */
export const lastUpdateMs = (server: CatalogueServer): number => server.discoveredAtMs ?? server.deployedAtMs;
