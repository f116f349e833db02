import { utcDayText } from '@souk/contract/utc-day.ts';
import { includedUntilMs, planIncluding } from '../../../entitlement/access-to.ts';
import type { Owned } from '../../../entitlement/owned.ts';
import type { OwnedServerFacts } from '../../../entitlement/read-owned-servers.ts';

/**
 * Says that a plan of the user includes a service whose rental they cancel, as the screen did before the click. Undefined where
 * no plan includes it, or the plan ends first.
 * @param endsAtMs end of the rental; undefined where it has no later one
 */
export function keptByPlan(
  { name, tier }: OwnedServerFacts,
  owned: Owned,
  { endsAtMs, nowMs }: { endsAtMs: number | undefined; nowMs: number },
): string | undefined {
  if (tier === null) return undefined;
  const server = { manifest: { billing: { tier } } };
  const plan = planIncluding(server, owned, nowMs);
  if (!plan) return undefined;
  const untilMs = includedUntilMs(server, owned, nowMs);
  if (untilMs === undefined) return `Your ${plan.name} plan includes ${name}: you lose nothing.`;
  if (endsAtMs !== undefined && untilMs <= endsAtMs) return undefined;
  return `Your ${plan.name} plan includes ${name} until ${utcDayText(untilMs)}.`;
}
