import type { Manifest } from '@souk/contract/manifest/manifest.ts';
import { tiers, type Tier } from '@souk/contract/tiers.ts';
import type { FirstAccess } from './approval-store.ts';

/**
 * Returns since when a user may have seen what a server's tools cost: since their first access to it, or since they have had an
 * account, where everyone has access or none is known.
 */
export function firstHadMs(
  { id, manifest }: { id: string; manifest: Manifest },
  { servers, tiers: plans }: FirstAccess,
  accountSinceMs: number,
): number {
  const tier = manifest.billing?.tier ?? 'T0';
  if (tier === 'T0') return accountSinceMs;
  let firstMs = servers.get(id) ?? Infinity;
  for (const [plan, sinceMs] of plans) if (covers(plan, tier)) firstMs = Math.min(firstMs, sinceMs);
  return Number.isFinite(firstMs) ? Math.max(firstMs, accountSinceMs) : accountSinceMs;
}

const covers = (plan: Tier, tier: Tier) => tiers[plan].level >= tiers[tier].level;
