import type { Query } from '#platform/db/database.ts';
import { toStep, type PriceStep } from './tool-price.ts';

/** Reads the prices of a server's tools up to a moment, by tool, oldest first. A tool without a record is missing. */
export async function readPriceSteps(
  query: Query,
  { serverId, tools, untilMs }: { serverId: string; tools: readonly string[]; untilMs: number },
): Promise<ReadonlyMap<string, PriceStep[]>> {
  const { rows } = await query<{ tool: string; credits: number; since: Date }>(
    `select tool, credits, since from tool_prices
     where server_id = $1 and tool = any($2::text[]) and since <= $3 order by since, id`,
    [serverId, tools, new Date(untilMs)],
  );
  const byTool = Map.groupBy(rows, ({ tool }) => tool);
  return new Map([...byTool].map(([tool, steps]) => [tool, steps.map(toStep)]));
}
