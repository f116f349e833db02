import type { CatalogueDb } from '../tables.ts';
import { toolPrice, type PriceStep, type ToolPrice } from './tool-price.ts';

export type PricesOfServer = ReadonlyMap<string, ToolPrice>;

/** The prices of these servers' tools, by server and tool; a tool without a price is in none. */
export async function readPrices(
  db: CatalogueDb,
  serverIds: readonly string[],
  nowMs: number,
): Promise<ReadonlyMap<string, PricesOfServer>> {
  const rows = await db
    .selectFrom('tool_prices')
    .select(['server_id', 'tool', 'credits', 'since'])
    .where('server_id', 'in', serverIds)
    .orderBy('since')
    .orderBy('id')
    .execute();
  const steps = new Map<string, Map<string, PriceStep[]>>();
  for (const { server_id: serverId, tool, credits, since } of rows) {
    const ofServer = getOrSet(steps, serverId, () => new Map<string, PriceStep[]>());
    getOrSet(ofServer, tool, (): PriceStep[] => []).push({ credits, sinceMs: since.getTime() });
  }
  return new Map(
    [...steps].map(([serverId, ofServer]) => [
      serverId,
      new Map([...ofServer].map(([tool, all]) => [tool, toolPrice(all, nowMs)])),
    ]),
  );
}

/** When the next announced price of a server's tools begins. */
export function nextPriceMs(prices: PricesOfServer): number | undefined {
  let next: number | undefined;
  for (const { coming } of prices.values()) {
    if (coming && (next === undefined || coming.sinceMs < next)) next = coming.sinceMs;
  }
  return next;
}

function getOrSet<Value>(map: Map<string, Value>, key: string, make: () => Value): Value {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}
