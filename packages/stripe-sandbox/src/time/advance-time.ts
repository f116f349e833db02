import type { Kind } from '../objects/types.ts';
import { expireSession } from '../money/checkout/expire-session.ts';
import { endDebit } from '../money/settle-debit.ts';
import { collectInvoice, renewSubscription } from '../money/subscriptions/renew.ts';
import type { Row, Work } from '../work.ts';

/** Due rows processed per transaction. */
const maxSteps = 400;

/**
 * Processes due rows in order: sessions expire, subscriptions renew or end, invoices are charged, debits succeed or fail.
 * @returns whether all were processed
 */
export async function advanceTime(work: Work, timeline: string, untilMs: number): Promise<boolean> {
  for (let step = 0; step < maxSteps; step++) {
    const [row] = await work.due(timeline, untilMs, 1);
    if (!row) return true;
    work.time = Math.floor((row.dueMs ?? work.nowMs) / 1000);
    await processDue(work, row);
  }
  return false;
}

async function processDue(work: Work, row: Row<Kind>): Promise<void> {
  if (isOf(row, 'checkout.session')) expireSession(work, row);
  else if (isOf(row, 'subscription')) await renewSubscription(work, row);
  else if (isOf(row, 'invoice')) await collectInvoice(work, row);
  else if (isOf(row, 'payment_intent')) await endDebit(work, row);
  else throw new Error(`rows of the kind ${row.kind} are never due`);
}

function isOf<K extends Kind>(row: Row<Kind>, kind: K): row is Row<K> & Row<Kind> {
  return row.kind === kind;
}
