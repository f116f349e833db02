import type { Manifest } from '@souk/contract/manifest/manifest.ts';
import { tiers, type Tier } from '@souk/contract/tiers.ts';
import { isRunning, renews, type Owned, type OwnedPlan, type OwnedServer } from './owned.ts';

/** The access of one person to one server (specification part 1, sections 3 and 4). */
export type Access =
  | { type: 'free' | 'none' }
  | { type: 'rental' | 'purchase' | 'trial'; by: OwnedServer }
  | { type: 'subscription'; by: OwnedPlan };

/** The part of a manifest that says which plans include its server. */
type Tiered = { billing?: Pick<NonNullable<Manifest['billing']>, 'tier'> | undefined };

/** The lowest comes first. */
const priorities: Readonly<Record<OwnedServer['kind'], number>> = { rental: 0, purchase: 1, trial: 2 };

const free: Access = { type: 'free' };
const none: Access = { type: 'none' };

/**
 * An active rental, else an active purchase, else an active trial, else a plan whose tier covers the server, else none. Servers of
 * tier T0 are free for everyone who holds no rental or purchase of them. The one place that decides, for lists, calls, cards and
 * the dashboard alike. Every call asks it, so it copies nothing.
 */
export function accessTo(server: { id: string; manifest: Manifest }, owned: Owned, nowMs: number): Access {
  const held = strongest(owned.servers, server.id, nowMs);
  if (held) return { type: held.kind, by: held };
  if (tierOf(server.manifest) === 'T0') return free;
  const by = planIncluding(server, owned, nowMs);
  return by ? { type: 'subscription', by } : none;
}

/** The plan of a person that includes a server, also where they rent or bought it besides. None includes what is free for all. */
export function planIncluding({ manifest }: { manifest: Tiered }, owned: Owned, nowMs: number): OwnedPlan | undefined {
  const tier = tierOf(manifest);
  if (tier === 'T0') return undefined;
  const highest = highestPlan(owned, nowMs);
  return highest && tiers[highest.tier].level >= tiers[tier].level ? highest : undefined;
}

/** Until when the plans of a person include a server. undefined: none includes it, or no end is known. */
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

/** The running plan with the highest tier; of several, the one that ends last. */
export function highestPlan({ plans }: Owned, nowMs: number): OwnedPlan | undefined {
  let highest: OwnedPlan | undefined;
  for (const plan of plans) {
    if (!isRunning(plan, nowMs)) continue;
    const above = highest ? tiers[plan.tier].level - tiers[highest.tier].level : 1;
    if (above > 0 || (above === 0 && endsLater(plan, highest))) highest = plan;
  }
  return highest;
}

/** What runs of this server, the kind that comes first; of several of a kind, the one that ends last. */
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

/** Without an end is later than any. */
function endsLater(one: Ending, other: Ending | undefined): boolean {
  return (one.periodEndsAtMs ?? Infinity) > (other?.periodEndsAtMs ?? Infinity);
}
