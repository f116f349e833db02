import { eachInTurns } from '#platform/work/in-turns.ts';
import { definitionHash } from '../review/definition-hash.ts';
import { readPrices, type PricesOfServer } from '../prices/read-prices.ts';
import { freeOfCharge, type ToolPrice } from '../prices/tool-price.ts';
import { resultTypesOf } from '../discovery/result-types.ts';
import type { CatalogueItem, CatalogueServer } from './snapshot.ts';
import type { CapabilityKind, CatalogueDb } from '../tables.ts';

export async function readDeployedIds(db: CatalogueDb): Promise<string[]> {
  const rows = await db.selectFrom('manifest_versions').select('server_id').where('status', '=', 'deployed').execute();
  return rows.map((row) => row.server_id);
}

/** Reads those of these servers that are deployed, with their capabilities, prices and health. */
export async function readDeployed(
  db: CatalogueDb,
  only: ReadonlySet<string>,
  nowMs: number,
): Promise<CatalogueServer[]> {
  const ids = [...only];
  const servers = await readServerRows(db, ids);
  const itemsByServer = Map.groupBy(await readItemRows(db, ids), (row) => row.server_id);
  const prices = await readPrices(db, ids, nowMs);
  const read: CatalogueServer[] = [];
  await eachInTurns(servers, (row) =>
    read.push(toServer(row, itemsByServer.get(row.id) ?? [], prices.get(row.id) ?? noPrices)),
  );
  return read;
}

const noPrices: PricesOfServer = new Map();

type ServerRow = Awaited<ReturnType<typeof readServerRows>>[number];
type ItemRow = Awaited<ReturnType<typeof readItemRows>>[number];

function readServerRows(db: CatalogueDb, ids: readonly string[]) {
  return db
    .selectFrom('manifest_versions as m')
    .innerJoin('servers as s', 's.id', 'm.server_id')
    .leftJoin('server_health as h', 'h.server_id', 's.id')
    .leftJoin('server_icons as i', 'i.server_id', 's.id')
    .select(['s.id', 's.slug', 's.approved_version', 'm.version', 'm.body', 'm.deployed_at'])
    .select([
      'h.status',
      'h.detail',
      'h.status_since',
      'h.era',
      'h.era_at',
      'h.instructions',
      'h.features',
      'h.left_out',
      'h.answer_sha256',
    ])
    .select('h.discovered_at')
    .select([
      'i.source as icon_source',
      'i.sha256 as icon_sha256',
      'i.content_type as icon_type',
      'i.fetched_at as icon_at',
    ])
    .where('m.status', '=', 'deployed')
    .where('m.server_id', 'in', ids)
    .execute();
}

function readItemRows(db: CatalogueDb, ids: readonly string[]) {
  return db
    .selectFrom('capabilities as c')
    .select(['server_id', 'kind', 'name', 'exposed_name', 'body', 'sha256', 'flagged', 'under_review'])
    .select(['text_changed_at', 'asks'])
    .select(({ exists, selectFrom }) =>
      exists(
        selectFrom('tool_changes as t')
          .whereRef('t.server_id', '=', 'c.server_id')
          .whereRef('t.tool', '=', 'c.name')
          .whereRef('t.after_sha256', '=', 'c.sha256')
          .where('t.status', '=', 'approved'),
      ).as('change_approved'),
    )
    .select(({ exists, selectFrom }) =>
      exists(
        selectFrom('tool_changes as p')
          .whereRef('p.server_id', '=', 'c.server_id')
          .whereRef('p.tool', '=', 'c.name')
          .where('p.status', '=', 'pending'),
      ).as('change_pending'),
    )
    .where('c.server_id', 'in', ids)
    .orderBy('server_id')
    .orderBy('position')
    .execute();
}

/** Builds a server from its rows. Prices come from their own table, with their dates. */
function toServer(row: ServerRow, items: readonly ItemRow[], prices: PricesOfServer): CatalogueServer {
  const pick = (kind: CapabilityKind, underReview = false): CatalogueItem[] =>
    items
      .filter((item) => item.kind === kind && item.under_review === underReview)
      .map((item) => toItem(row, item, kind === 'tool' ? prices.get(item.name) : undefined));
  return {
    id: row.id,
    slug: row.slug,
    manifest: row.body,
    status: row.status ?? 'disconnected',
    statusDetail: row.detail ?? undefined,
    statusSinceMs: row.status_since?.getTime(),
    era: row.era && row.era_at ? { verdict: row.era, atMs: row.era_at.getTime() } : undefined,
    instructions: row.instructions ?? undefined,
    features: row.features ?? undefined,
    icon: iconOf(row),
    leftOut: row.left_out ?? undefined,
    answerSha256: row.answer_sha256 ?? undefined,
    prices,
    tools: pick('tool'),
    toolsUnderReview: pick('tool', true),
    prompts: pick('prompt'),
    resources: pick('resource'),
    templates: pick('template'),
    offersHash: hashOfOffers(items, prices),
    discoveredAtMs: row.discovered_at?.getTime(),
    deployedAtMs: row.deployed_at?.getTime() ?? 0,
  };
}

function toItem(row: ServerRow, item: ItemRow, price: ToolPrice = freeOfCharge): CatalogueItem {
  return {
    serverId: row.id,
    name: item.name,
    exposedName: item.exposed_name,
    definition: item.body,
    sha256: item.sha256,
    resultTypes: item.kind === 'tool' ? resultTypesOf(item.body) : undefined,
    creditCost: price.credits,
    price,
    underReview: item.under_review,
    // the change of a hidden tool is either undecided or rejected (review-tools.ts)
    keptHidden: item.under_review && !item.change_pending,
    approved: row.approved_version === row.version || Boolean(item.change_approved),
    flagged: item.flagged,
    asks: item.asks ?? undefined,
    textChangedAtMs: item.text_changed_at?.getTime(),
  };
}

/** Hashes the items with their prices, because clients list these too. */
function hashOfOffers(items: readonly ItemRow[], prices: PricesOfServer): string {
  return definitionHash(
    Object.fromEntries(
      items.map((item) => [
        `${item.kind} ${item.exposed_name}`,
        `${item.sha256} ${item.under_review} ${item.asks ?? ''} ${item.kind === 'tool' ? priceText(prices.get(item.name)) : ''}`,
      ]),
    ),
  );
}

const priceText = ({ credits, coming }: ToolPrice = freeOfCharge) => `${credits} ${coming?.credits} ${coming?.sinceMs}`;

const extensions = { 'image/png': 'png', 'image/jpeg': 'jpg', 'image/webp': 'webp' } as const;

/** Returns the stored icon, if it is still the manifest's. */
function iconOf(row: ServerRow): CatalogueServer['icon'] {
  if (!row.icon_type || !row.icon_at || row.icon_source !== row.body.icon) return undefined;
  return { path: `/icons/${row.icon_sha256}.${extensions[row.icon_type]}`, fetchedAtMs: row.icon_at.getTime() };
}
