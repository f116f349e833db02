import type { Manifest } from '@souk/contract/manifest.ts';
import { tiers, type Tier } from '@souk/contract/tiers.ts';
import { isRunning, type Owned, type OwnedPlan, type OwnedServer } from './owned.ts';

/** The access of one person to one server (specification part 1, sections 3 and 4). */
export type Access =
  | { type: 'free' | 'none' }
  | { type: 'rental' | 'purchase' | 'trial'; by: OwnedServer }
  | { type: 'subscription'; by: OwnedPlan };

const byPriority = ['rental', 'purchase', 'trial'] as const;

/**
 * An active rental, else an active purchase, else an active trial, else a plan whose tier covers the server, else none. Servers of
 * tier T0 are free for everyone who holds no rental or purchase of them. The one place that decides, for lists, calls, cards and
 * the dashboard alike.
 */
export function accessTo(server: { id: string; manifest: Manifest }, owned: Owned, nowMs: number): Access {
  for (const kind of byPriority) {
    const by = last(
      owned.servers.filter((one) => one.serverId === server.id && one.kind === kind),
      nowMs,
    );
    if (by) return { type: kind, by };
  }
  const tier = tierOf(server.manifest);
  if (tier === 'T0') return { type: 'free' };
  const by = highestPlan(owned, nowMs);
  return by && tiers[by.tier].level >= tiers[tier].level ? { type: 'subscription', by } : { type: 'none' };
}

/** A manifest without a billing block is T0 (clarifications, Marketplace). */
function tierOf(manifest: Manifest): Tier {
  return manifest.billing?.tier ?? 'T0';
}

/** The running plan with the highest tier. */
export function highestPlan({ plans }: Owned, nowMs: number): OwnedPlan | undefined {
  const running = plans.filter((plan) => isRunning(plan, nowMs));
  return running.toSorted((a, b) => tiers[b.tier].level - tiers[a.tier].level || endOf(b) - endOf(a))[0];
}

/** Of several that run, the one that ends last. */
function last(owned: readonly OwnedServer[], nowMs: number): OwnedServer | undefined {
  return owned.filter((one) => isRunning(one, nowMs)).toSorted((a, b) => endOf(b) - endOf(a))[0];
}

const endOf = ({ periodEndsAtMs }: { periodEndsAtMs: number | undefined }) => periodEndsAtMs ?? Infinity;
