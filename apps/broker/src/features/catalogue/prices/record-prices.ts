import type { Manifest } from '@souk/contract/manifest/manifest.ts';
import type { Tx } from '../tables.ts';

/** Start of the implicit free price. */
const always = new Date(0);

/** A price change of a tool that users already had. */
export type PriceChange = { tool: string; before: number; after: number };

type NewStep = { tool: string; credits: number; since: Date; announced: boolean };

/**
 * Records the price changes of a deployment. To be called before the version is marked as deployed. Compares with the
 * last price in force, even if the server was removed from the catalogue since. Withdraws announced prices of the
 * previous version.
 * @returns the prices that change now
 */
export async function recordPrices(tx: Tx, manifest: Manifest, at: Date): Promise<PriceChange[]> {
  const serverId = manifest.id;
  const costs = costsOf(manifest);
  const announced = announcedIn(manifest);
  const known = await tx
    .selectFrom('tool_prices')
    .select(['tool', 'credits', 'since', 'announced'])
    .where('server_id', '=', serverId)
    .orderBy('since')
    .orderBy('id')
    .execute();
  const isUpcoming = (row: NewStep) => row.announced && row.since > at;
  const last = new Map(known.filter((row) => !isUpcoming(row)).map((row) => [row.tool, row]));
  if (known.some(isUpcoming)) await deleteUpcoming(tx, serverId, at);

  const tools = new Set([...last.keys(), ...costs.keys(), ...announced.keys()]);
  const freeTools = [...tools].filter((tool) => !last.has(tool));
  const wereFree = freeTools.length === 0 ? new Set<string>() : await findFreeTools(tx, manifest, freeTools);

  function stepsOf(tool: string): NewStep[] {
    const before = last.get(tool);
    const next = announced.get(tool);
    const isDue = next !== undefined && next.from <= at;
    const credits = (isDue ? next.credits : costs.get(tool)) ?? 0;
    const upcoming = next && !isDue ? [{ tool, credits: next.credits, since: next.from, announced: true }] : [];
    // clocks of brokers differ: a step never precedes the one that it follows
    const since = before && before.since > at ? before.since : at;
    const now = { tool, credits, since, announced: false };
    if (before) return before.credits === credits ? upcoming : [now, ...upcoming];
    const free = { tool, credits: 0, since: always, announced: false };
    if (credits === 0) return upcoming.length === 0 ? [] : [free, ...upcoming];
    return wereFree.has(tool) ? [free, now, ...upcoming] : [now, ...upcoming];
  }

  const steps = [...tools].flatMap(stepsOf);
  if (steps.length > 0)
    await tx
      .insertInto('tool_prices')
      .values(steps.map((step) => ({ server_id: serverId, ...step })))
      .execute();
  return steps
    .filter(({ announced, since }) => !announced && since > always)
    .flatMap(({ tool, credits }) => {
      const was = last.get(tool)?.credits ?? (wereFree.has(tool) ? 0 : undefined);
      return was === undefined || was === credits ? [] : [{ tool, before: was, after: credits }];
    });
}

/** Returns the prices of a manifest, in a map because a tool may be called `constructor`. */
export const costsOf = ({ billing }: Manifest) => new Map(Object.entries(billing?.toolCosts ?? {}));

function announcedIn({ billing }: Manifest): Map<string, { credits: number; from: Date }> {
  return new Map(
    Object.entries(billing?.announcedPrices ?? {}).map(([tool, { credits, from }]) => [
      tool,
      { credits, from: new Date(from) },
    ]),
  );
}

/**
 * Finds which of these tools users already had for free. The catalogue may not know all tools of a server with a
 * sign-in: there, every tool counts if the server was ever deployed.
 */
async function findFreeTools(tx: Tx, { id, auth }: Manifest, tools: readonly string[]): Promise<Set<string>> {
  if (auth.type !== 'none') {
    const before = await tx
      .selectFrom('manifest_versions')
      .select('version')
      .where('server_id', '=', id)
      .where('deployed_at', 'is not', null)
      .limit(1)
      .executeTakeFirst();
    return new Set(before ? tools : []);
  }
  const listed = await tx
    .selectFrom('capabilities')
    .select('name')
    .where('server_id', '=', id)
    .where('kind', '=', 'tool')
    .where('name', 'in', tools)
    // pins remain when the server is removed from the catalogue
    .union(tx.selectFrom('tool_pins').select('name').where('server_id', '=', id).where('name', 'in', tools))
    .execute();
  return new Set(listed.map(({ name }) => name));
}

async function deleteUpcoming(tx: Tx, serverId: string, at: Date): Promise<void> {
  await tx
    .deleteFrom('tool_prices')
    .where('server_id', '=', serverId)
    .where('announced', '=', true)
    .where('since', '>', at)
    .execute();
}
