import type { Manifest } from '@souk/contract/manifest/manifest.ts';
import { tiers, type Tier } from '@souk/contract/tiers.ts';
import type { FirstAccess } from './approval-store.ts';

/**
 * Returns the time since which a user may have seen what a server's tools cost: their first access to it, or the creation of
 * their account if everyone has access or no access is known.
 */
export function firstAccessMs(
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
