import type { CatalogueDb } from '../tables.ts';
import { toolPrice, toStep, type ToolPrice } from './tool-price.ts';

export type PricesOfServer = ReadonlyMap<string, ToolPrice>;

/** Reads the prices of these servers' tools, by server and tool; a tool without a price is missing. */
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
  const byServer = Map.groupBy(rows, (row) => row.server_id);
  return new Map([...byServer].map(([serverId, ofServer]) => [serverId, pricesOf(ofServer, nowMs)]));
}

/** @param rows of one server, by date */
function pricesOf(rows: readonly { tool: string; credits: number; since: Date }[], nowMs: number): PricesOfServer {
  const byTool = Map.groupBy(rows, ({ tool }) => tool);
  return new Map([...byTool].map(([tool, steps]) => [tool, toolPrice(steps.map(toStep), nowMs)]));
}

/** Time at which the next announced price of a server's tools begins. */
export function nextPriceMs(prices: PricesOfServer): number | undefined {
  const dates = [...prices.values()].flatMap(({ coming }) => coming?.sinceMs ?? []);
  return dates.length > 0 ? Math.min(...dates) : undefined;
}
