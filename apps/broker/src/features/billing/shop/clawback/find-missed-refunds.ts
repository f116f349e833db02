import type { Stripe } from 'stripe';
import type { Query } from '#platform/db/database.ts';
import { idOf } from '../id-of.ts';
import { providerPages } from '../provider-pages.ts';
import type { ClawbackParts } from './clawback-parts.ts';
import { followRefund } from './follow-refund.ts';

/** A bank reports within 30 days that it did not carry out a refund. */
const createdWithinMs = 40 * 24 * 60 * 60_000;
const pageSize = 100;

/**
 * Applies the provider's refunds whose event did not arrive: those that the history does not have, and those that failed since.
 * @returns how many there were
 */
export async function findMissedRefunds(parts: ClawbackParts): Promise<number> {
  const { db, provider, clock, log } = parts;
  const gte = Math.floor((clock.now() - createdWithinMs) / 1000);
  const pages = providerPages((page) =>
    provider.call((stripe) => stripe.refunds.list({ created: { gte }, limit: pageSize, ...page })),
  );
  let found = 0;
  for await (const refunds of pages) {
    for (const id of await differingOf(db.query, refunds)) {
      try {
        await followRefund(parts, id);
        found += 1;
      } catch (error) {
        log.error({ err: error, refund: id }, 'a refund of the payment provider could not be applied');
      }
    }
  }
  return found;
}

async function differingOf(query: Query, refunds: readonly Stripe.Refund[]): Promise<string[]> {
  const asked = refunds.map(({ id, status, payment_intent: intent }) => ({
    id,
    failed: status === 'failed' || status === 'canceled',
    intent: idOf(intent) ?? null,
  }));
  const { rows } = await query<{ id: string }>(
    `select a.id from jsonb_to_recordset($1::jsonb) as a(id text, failed boolean, intent text)
       left join transactions r on r.idem = 'refund:' || a.id
     where exists (select from transactions t where t.payment_intent_id = a.intent and t.type <> 'refund')
       and case when a.failed then r.status <> 'failed' else r.id is null end`,
    [JSON.stringify(asked)],
  );
  return rows.map(({ id }) => id);
}
