import type { PaymentEventHandlers } from '../webhook/payment-event.ts';
import { findMissedDisputes } from './find-missed-disputes.ts';
import { findMissedRefunds } from './find-missed-refunds.ts';
import { followDispute } from './follow-dispute.ts';
import { followRefund } from './follow-refund.ts';
import type { ClawbackParts } from './clawback-parts.ts';

/** Refunds and disputes. Their handlers may be called as often as they like, and in any order. */
export type Clawback = {
  readonly handlers: PaymentEventHandlers;
  /** Applies the provider's disputes that are unknown here in their current state. Returns how many there were. */
  findMissedDisputes(): Promise<number>;
  /** Applies the provider's refunds whose event did not arrive. Returns how many there were. */
  findMissedRefunds(): Promise<number>;
};

export function createClawback(parts: ClawbackParts): Clawback {
  const ofRefund: PaymentEventHandlers[string] = ({ objectId }) => followRefund(parts, objectId);
  const ofDispute: PaymentEventHandlers[string] = ({ objectId }) => followDispute(parts, objectId);
  return {
    handlers: {
      'refund.created': ofRefund,
      'refund.updated': ofRefund,
      'refund.failed': ofRefund,
      'charge.dispute.created': ofDispute,
      'charge.dispute.updated': ofDispute,
      'charge.dispute.closed': ofDispute,
    },
    findMissedDisputes: () => findMissedDisputes(parts),
    findMissedRefunds: () => findMissedRefunds(parts),
  };
}
