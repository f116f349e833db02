import { toStored, type Discovered } from './discovered.ts';
import { exposeUri } from '../snapshot/exposed-name.ts';
import { judgeTool, type DriftPolicy } from '../review/judge-tool.ts';
import { freeOfCharge } from '../prices/tool-price.ts';
import { resultTypesOf } from './result-types.ts';
import type { CatalogueItem, CatalogueServer } from '../snapshot/snapshot.ts';
import type { StoredCapability } from '../tables.ts';

/** A tool, prompt, resource or template as a server offers it to one user. */
export type PersonalItem = StoredCapability & {
  /** Differs from this user's first discovery. */
  underReview: boolean;
  textChangedAtMs?: number | undefined;
  /** Time since which this server has its address on /mcp; undefined if another server had the address first. */
  ownedSinceMs?: number | undefined;
};

/** The tools of a user's first discovery, with the changes that the policy has accepted since. */
export type PersonalPins = Record<
  string,
  { sha256: string; definition: Record<string, unknown>; textChangedAtMs?: number | undefined }
>;

/** A new difference between a tool and its pin for the user. */
export type PersonalChange = { tool: string; change: string; underReview: boolean };

/** A server's list for one user. */
export type PersonalList = {
  /** Version of the manifest: a deployment trusts the first discovery after it. */
  version: string;
  items: readonly PersonalItem[];
  pins: PersonalPins;
};

/**
 * Compares what a server offers a user with that user's first discovery, by the server's drift policy. The first
 * discovery of a version is trusted as a whole, even if it found nothing.
 * @param before as stored; undefined at the user's first discovery
 * @param isTaken whether another server has this address on /mcp now
 */
export async function reviewPersonalList(
  { slug, version, policy }: { slug: string; version: string; policy: DriftPolicy },
  discovered: Discovered,
  before: PersonalList | undefined,
  isTaken: (uri: string) => boolean,
  atMs: number,
): Promise<PersonalList & { changes: PersonalChange[] }> {
  const { items: found } = await toStored(slug, discovered, new Set());
  const owned = new Map(before?.items.filter(isAddress).map(({ name, ownedSinceMs }) => [name, ownedSinceMs]));
  const stored = found.map((item) => {
    if (!isAddress(item) || item.exposedName !== item.name) return item;
    const ownedSinceMs = owned.get(item.name) ?? (isTaken(item.name) ? undefined : atMs);
    return { ...item, ...(ownedSinceMs !== undefined && { ownedSinceMs }) };
  });
  if (before?.version !== version || policy === 'own') {
    const items = stored.map((item) => ({ ...item, underReview: false }));
    return { version, items, pins: Object.fromEntries(items.filter(isTool).map(pinOf)), changes: [] };
  }
  const pins = new Map(Object.entries(before.pins));
  const known = new Map(before.items.filter(isTool).map((item) => [item.name, item.sha256]));
  const changes: PersonalChange[] = [];
  const items = stored.map((item): PersonalItem => {
    if (!isTool(item)) return { ...item, underReview: false };
    const pin = pins.get(item.name);
    const { change, underReview } = judgeTool(pin, { sha256: item.sha256, definition: item.body }, policy);
    if (change !== undefined && known.get(item.name) !== item.sha256) {
      changes.push({ tool: item.name, change, underReview });
    }
    const textChangedAtMs = change === 'text' && !underReview ? atMs : pin?.textChangedAtMs;
    const judged = { ...item, underReview, ...(textChangedAtMs !== undefined && { textChangedAtMs }) };
    if (change !== undefined && !underReview) pins.set(...pinOf(judged));
    return judged;
  });
  return { version, items, pins: Object.fromEntries(pins), changes };
}

const isTool = ({ kind }: StoredCapability) => kind === 'tool';
export const isAddress = ({ kind }: Pick<StoredCapability, 'kind'>) => kind === 'resource' || kind === 'template';

function pinOf({ name, sha256, body, textChangedAtMs }: PersonalItem): [string, PersonalPins[string]] {
  return [name, { sha256, definition: body, ...(textChangedAtMs !== undefined && { textChangedAtMs }) }];
}

/**
 * Returns a server's catalogue entry for one user. A tool under review is visible if an administrator approved exactly
 * this definition. A definition that the shop shows only because the server lists it to anyone is not approved.
 * @param isTaken whether another server has this address on /mcp
 */
export function personalEntry(
  server: CatalogueServer,
  items: readonly PersonalItem[],
  isTaken: (uri: string) => boolean,
): CatalogueServer {
  const approved = new Map(server.tools.map((item) => [item.name, item]));
  const entry = items.map((item) => {
    const { kind, name, flagged } = item;
    const price = (kind === 'tool' ? server.prices.get(name) : undefined) ?? freeOfCharge;
    const ofShop = kind === 'tool' ? approved.get(name) : undefined;
    const isSame = ofShop?.sha256 === item.sha256;
    const listed: CatalogueItem = {
      serverId: server.id,
      name,
      exposedName: isAddress(item) && isTaken(name) ? exposeUri(server.slug, name) : item.exposedName,
      // users who get the same definition share one object
      definition: isSame ? ofShop.definition : item.body,
      sha256: item.sha256,
      resultTypes: isSame ? ofShop.resultTypes : kind === 'tool' ? resultTypesOf(item.body) : undefined,
      creditCost: price.credits,
      price,
      underReview: item.underReview && !(isSame && ofShop.approved),
      keptHidden: false,
      approved: isSame && ofShop.approved,
      flagged,
      textChangedAtMs: item.textChangedAtMs,
    };
    return { kind, listed };
  });
  const pick = (wanted: StoredCapability['kind'], underReview = false) =>
    entry.flatMap(({ kind, listed }) => (kind === wanted && listed.underReview === underReview ? [listed] : []));
  return {
    ...server,
    tools: pick('tool'),
    toolsUnderReview: pick('tool', true),
    prompts: pick('prompt'),
    resources: pick('resource'),
    templates: pick('template'),
  };
}

/**
 * Returns a server's entry for one user, with a prefix on each address that one of the user's own servers has on /mcp.
 */
export function withPrefixedAddresses(server: CatalogueServer, isTaken: (uri: string) => boolean): CatalogueServer {
  const isBare = ({ name, exposedName }: CatalogueItem) => exposedName === name && isTaken(name);
  const rename = (items: readonly CatalogueItem[]) =>
    items.some(isBare)
      ? items.map((item) => (isBare(item) ? { ...item, exposedName: exposeUri(server.slug, item.name) } : item))
      : items;
  const [resources, templates] = [rename(server.resources), rename(server.templates)];
  if (resources === server.resources && templates === server.templates) return server;
  return { ...server, resources, templates };
}
