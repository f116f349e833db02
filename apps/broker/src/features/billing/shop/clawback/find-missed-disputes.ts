import type { Stripe } from 'stripe';
import type { Query } from '#platform/db/database.ts';
import { idOf } from '../id-of.ts';
import { providerPages } from '../provider-pages.ts';
import { followDispute } from './follow-dispute.ts';
import type { ClawbackParts } from './clawback-parts.ts';

const dayMs = 24 * 60 * 60_000;
/** A bank decides within months. Older disputes that are open here are requested by their ids. */
const openedWithinMs = 200 * dayMs;
const pageSize = 100;
const maxOpen = 500;

/**
 * Reads the provider's disputes that are unknown here in their current state, because their event did not arrive, or came
 * before they were stored, and applies each as its event would.
 * @returns how many differed
 */
export async function findMissedDisputes(parts: ClawbackParts): Promise<number> {
  const { db, provider } = parts;
  let found = 0;
  const since = parts.clock.now() - openedWithinMs;
  const gte = Math.floor(since / 1000);
  const pages = providerPages((page) =>
    provider.call((stripe) => stripe.disputes.list({ created: { gte }, limit: pageSize, ...page })),
  );
  for await (const disputes of pages)
    for (const id of await differingOf(db.query, disputes)) if (await follow(parts, id)) found += 1;
  const { rows } = await db.query<{ id: string }>(
    `select id from disputes where livemode = $1 and opened_at < $2
       and status not in ('won', 'lost', 'prevented', 'warning_closed') order by opened_at desc limit ${maxOpen}`,
    [provider.livemode, new Date(since)],
  );
  for (const { id } of rows) await follow(parts, id);
  return found;
}

async function differingOf(query: Query, disputes: readonly Stripe.Dispute[]): Promise<string[]> {
  const asked = disputes.map((one) => ({
    id: one.id,
    status: one.status,
    amount: one.amount,
    due: one.evidence_details.due_by ?? null,
    intent: idOf(one.payment_intent) ?? null,
  }));
  const { rows } = await query<{ id: string }>(
    `select a.id from jsonb_to_recordset($1::jsonb) as a(id text, status text, amount bigint, due bigint, intent text)
     where not exists (select from disputes d where d.id = a.id and d.status = a.status and d.amount = a.amount
       and d.due_by is not distinct from to_timestamp(a.due) and d.payment_intent_id is not distinct from a.intent)`,
    [JSON.stringify(asked)],
  );
  return rows.map(({ id }) => id);
}

/** Applies a dispute. A failure, such as a payment that is not recorded yet, does not hold up the others. */
async function follow(parts: ClawbackParts, id: string): Promise<boolean> {
  try {
    await followDispute(parts, id);
    return true;
  } catch (error) {
    parts.log.error({ err: error, dispute: id }, 'a dispute of the payment provider could not be applied');
    return false;
  }
}
