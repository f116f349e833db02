import { z } from 'zod';

/** Tier names and levels (spec part 1, sections 3 and 9). A higher tier includes the lower ones. */
export const tiers = {
  T0: { name: 'Free', level: 0 },
  T1: { name: 'Basic', level: 1 },
  T2: { name: 'Professional', level: 2 },
  T3: { name: 'Enterprise', level: 3 },
} as const;

export const tierSchema = z.enum(['T0', 'T1', 'T2', 'T3']);
export type Tier = z.infer<typeof tierSchema>;

/** Returns a tier and the tiers that it includes, lowest first. */
export const tiersUpTo = (tier: Tier): Tier[] =>
  tierSchema.options.filter((other) => tiers[other].level <= tiers[tier].level);
