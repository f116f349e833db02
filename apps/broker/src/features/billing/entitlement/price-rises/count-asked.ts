import type { Manifest } from '@souk/contract/manifest/manifest.ts';
import { creditsAt, type PriceStep } from '#features/catalogue/index.ts';
import type { Query } from '#platform/db/database.ts';
import { readApproved, readFirstAccess } from './approval-store.ts';
import { firstAccessMs } from './first-access.ts';

/** A tool that will cost more, with its prices so far. */
export type RaisedTool = { tool: string; credits: number; steps: readonly PriceStep[] };

/**
 * Counts the callers who agreed to less than their tools will cost, and will be asked before their next call (decision 0051).
 * @param asked.manifest as it will be deployed: its tier decides when users first had access to the server
 * @param asked.callers users and the tools that their calls reached
 * @param asked.accountsSince users who are missing here cannot call, and are not asked
 */
export async function countAsked(
  query: Query,
  livemode: boolean,
  asked: {
    manifest: Manifest;
    raised: readonly RaisedTool[];
    callers: readonly { userId: string; tool: string }[];
    accountsSince: ReadonlyMap<string, Date>;
  },
): Promise<number> {
  const { manifest, raised, callers, accountsSince } = asked;
  const of = { userIds: [...accountsSince.keys()], livemode, serverId: manifest.id };
  const [accessOf, approvedOf] = await Promise.all([readFirstAccess(query, of), readApproved(query, of)]);
  const raisedByName = new Map(raised.map((one) => [one.tool, one]));
  const isAsked = ({ userId, tool }: { userId: string; tool: string }) => {
    const since = accountsSince.get(userId);
    const rise = raisedByName.get(tool);
    if (!since || !rise) return false;
    const firstMs = firstAccessMs({ id: manifest.id, manifest }, accessOf(userId), since.getTime());
    return rise.credits > Math.max(creditsAt(rise.steps, firstMs), approvedOf(userId, manifest.id, tool));
  };
  return new Set(callers.filter(isAsked).map(({ userId }) => userId)).size;
}
