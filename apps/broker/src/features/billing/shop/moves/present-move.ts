import type { OfferMove } from '@souk/contract/admin/offers.ts';
import type { Move, MoveCounts } from './move-store.ts';

export function presentMove(move: Move & MoveCounts, emails: ReadonlyMap<string, string>): OfferMove {
  const { planId: _planId, priceId: _priceId, startedAt, endedAt, startedBy, ...rest } = move;
  const { amount, currency, monthlyCredits, ...counts } = rest;
  return {
    ...counts,
    startedAt: startedAt.toISOString(),
    endedAt: endedAt?.toISOString() ?? null,
    startedBy: startedBy === undefined ? null : (emails.get(startedBy) ?? null),
    to: { amount, currency, monthlyCredits },
  };
}
