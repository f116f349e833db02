import type { Manifest } from '@souk/contract/manifest/manifest.ts';
import { tiers, type Tier } from '@souk/contract/tiers.ts';
import { isRunning, renews, type Owned, type OwnedPlan, type OwnedServer } from './owned.ts';

/** A user's access to a server (specification part 1, sections 3 and 4). */
export type Access =
  | { type: 'free' | 'none' }
  | { type: 'rental' | 'purchase' | 'trial'; by: OwnedServer }
  | { type: 'subscription'; by: OwnedPlan };

/** The part of a manifest that says which plans include its server. */
type Tiered = { billing?: Pick<NonNullable<Manifest['billing']>, 'tier'> | undefined };

/** The lowest number wins. */
const priorities: Readonly<Record<OwnedServer['kind'], number>> = { rental: 0, purchase: 1, trial: 2 };

const free: Access = { type: 'free' };
const none: Access = { type: 'none' };

/**
 * Decides a user's access: an active rental, else an active purchase, else an active trial, else a plan whose tier covers the
 * server, else none. T0 servers are free for users who have no rental or purchase of them. The one rule for lists, calls, cards
 * and the dashboard. Every call uses it, so it copies nothing.
 */
export function accessTo(server: { id: string; manifest: Manifest }, owned: Owned, nowMs: number): Access {
  const strong = strongest(owned.servers, server.id, nowMs);
  if (strong) return { type: strong.kind, by: strong };
  if (tierOf(server.manifest) === 'T0') return free;
  const by = planIncluding(server, owned, nowMs);
  return by ? { type: 'subscription', by } : none;
}

/**
 * Finds the user's plan that includes a server, even if they also rent or bought it. No plan includes a server that is free for
 * all.
 */
export function planIncluding({ manifest }: { manifest: Tiered }, owned: Owned, nowMs: number): OwnedPlan | undefined {
  const tier = tierOf(manifest);
  if (tier === 'T0') return undefined;
  const highest = highestPlan(owned, nowMs);
  return highest && tiers[highest.tier].level >= tiers[tier].level ? highest : undefined;
}

/** Returns the time until which the user's plans include a server. undefined: no plan includes it, or the end is unknown. */
export function includedUntilMs(
  { manifest }: { manifest: Tiered },
  { plans }: Owned,
  nowMs: number,
): number | undefined {
  const { level } = tiers[tierOf(manifest)];
  const ends = plans
    .filter((plan) => isRunning(plan, nowMs) && tiers[plan.tier].level >= level)
    .map((plan) => {
      const isLast = !renews(plan) || (plan.nextTier !== undefined && tiers[plan.nextTier].level < level);
      return isLast ? (plan.periodEndsAtMs ?? Infinity) : Infinity;
    });
  const last = Math.max(...ends);
  return Number.isFinite(last) ? last : undefined;
}

/** A manifest without a billing block is T0 (clarifications, Marketplace). */
export function tierOf(manifest: Tiered): Tier {
  return manifest.billing?.tier ?? 'T0';
}

/** Finds the running plan with the highest tier; of several, the one that ends last. */
export function highestPlan({ plans }: Owned, nowMs: number): OwnedPlan | undefined {
  let highest: OwnedPlan | undefined;
  for (const plan of plans) {
    if (!isRunning(plan, nowMs)) continue;
    const above = highest ? tiers[plan.tier].level - tiers[highest.tier].level : 1;
    if (above > 0 || (above === 0 && endsLater(plan, highest))) highest = plan;
  }
  return highest;
}

/** Finds the running rental, purchase or trial of a server, by priority; of several of a kind, the one that ends last. */
function strongest(servers: readonly OwnedServer[], serverId: string, nowMs: number): OwnedServer | undefined {
  let strong: OwnedServer | undefined;
  for (const one of servers) {
    if (one.serverId !== serverId || !isRunning(one, nowMs)) continue;
    const before = strong ? priorities[strong.kind] - priorities[one.kind] : 1;
    if (before > 0 || (before === 0 && endsLater(one, strong))) strong = one;
  }
  return strong;
}

type Ending = { readonly periodEndsAtMs: number | undefined };

/** No end date sorts last. */
function endsLater(one: Ending, other: Ending | undefined): boolean {
  return (one.periodEndsAtMs ?? Infinity) > (other?.periodEndsAtMs ?? Infinity);
}
