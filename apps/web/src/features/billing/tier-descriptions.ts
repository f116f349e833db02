import type { Tier } from '@souk/contract/tiers.ts';

export const tierDescriptions: Readonly<Record<Tier, string>> = {
  T0: 'Every free service.',
  T1: 'Services of the Basic tier, and every free one.',
  T2: 'Services of the Professional tier and below.',
  T3: 'Every service.',
};
