import { emit } from '../webhooks/emit-event.ts';
import type { Row, Work } from '../work.ts';

/** Fails a refund whose money the bank returned days later; the charge is no longer refunded. */
export async function failRefund(work: Work, refund: Row<'refund'>): Promise<void> {
  refund.body.status = 'failed';
  refund.body.failure_reason = 'lost_or_stolen_card';
  work.save(refund);
  const charge = await work.need('charge', refund.body.charge);
  charge.body.amount_refunded -= refund.body.amount;
  charge.body.refunded = false;
  work.save(charge);
  emit(work, 'refund.updated', refund.body, { status: 'succeeded' });
  emit(work, 'refund.failed', refund.body);
}
