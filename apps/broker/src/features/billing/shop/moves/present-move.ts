import type { OfferMove } from '@souk/contract/admin/offers.ts';
import type { Move, MoveCounts } from './move-store.ts';

export function presentMove(move: Move & MoveCounts, emails: ReadonlyMap<string, string>): OfferMove {
  const { id, startedAt, endedAt, startedBy, amount, currency, monthlyCredits } = move;
  const { total, moved, skipped, failed, later, reasons } = move;
  return {
    id,
    startedAt: startedAt.toISOString(),
    endedAt: endedAt?.toISOString() ?? null,
    startedBy: startedBy === undefined ? null : (emails.get(startedBy) ?? null),
    to: { amount, currency, monthlyCredits },
    total,
    moved,
    skipped,
    failed,
    later,
    reasons,
  };
}
