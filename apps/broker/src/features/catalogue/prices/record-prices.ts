import type { Manifest } from '@souk/contract/manifest/manifest.ts';
import type { Tx } from '../tables.ts';

/** Start of the implicit free price. */
const always = new Date(0);

/** A price change of a tool that users already had. */
export type PriceChange = { tool: string; before: number; after: number };

type NewStep = { tool: string; credits: number; since: Date; announced: boolean };

/**
 * Records the price changes of a deployment; to be called before the version is marked. They compare with the last
 * price in force, even if the server was removed from the catalogue since. Announced prices of the version before are
 * withdrawn.
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
  const isToCome = (row: NewStep) => row.announced && row.since > at;
  const last = new Map(known.filter((row) => !isToCome(row)).map((row) => [row.tool, row]));
  if (known.some(isToCome)) await deleteToCome(tx, serverId, at);

  const tools = new Set([...last.keys(), ...costs.keys(), ...announced.keys()]);
  const freeTools = [...tools].filter((tool) => !last.has(tool));
  const wereFree = freeTools.length === 0 ? new Set<string>() : await toolsBefore(tx, manifest, freeTools);

  function stepsOf(tool: string): NewStep[] {
    const before = last.get(tool);
    const next = announced.get(tool);
    const isDue = next !== undefined && next.from <= at;
    const credits = (isDue ? next.credits : costs.get(tool)) ?? 0;
    const toCome = next && !isDue ? [{ tool, credits: next.credits, since: next.from, announced: true }] : [];
    // clocks of brokers differ: a step never precedes the one that it follows
    const since = before && before.since > at ? before.since : at;
    const now = { tool, credits, since, announced: false };
    if (before) return before.credits === credits ? toCome : [now, ...toCome];
    const free = { tool, credits: 0, since: always, announced: false };
    if (credits === 0) return toCome.length === 0 ? [] : [free, ...toCome];
    return wereFree.has(tool) ? [free, now, ...toCome] : [now, ...toCome];
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

/** A map, because a tool may be called `constructor`. */
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
 * Finds which of these tools users already had for free. The catalogue does not have all tools that a server offers to
 * signed-in users: of such a server, every tool counts.
 */
async function toolsBefore(tx: Tx, { id, auth }: Manifest, tools: readonly string[]): Promise<Set<string>> {
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
    // kept when the server is removed from the catalogue
    .union(tx.selectFrom('tool_pins').select('name').where('server_id', '=', id).where('name', 'in', tools))
    .execute();
  return new Set(listed.map(({ name }) => name));
}

async function deleteToCome(tx: Tx, serverId: string, at: Date): Promise<void> {
  await tx
    .deleteFrom('tool_prices')
    .where('server_id', '=', serverId)
    .where('announced', '=', true)
    .where('since', '>', at)
    .execute();
}
