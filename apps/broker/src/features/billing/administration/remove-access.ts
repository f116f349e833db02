import { writeAuditWith } from '#platform/audit/audit-log.ts';
import type { Query } from '#platform/db/database.ts';
import { SoukError } from '#platform/errors.ts';
import { isRunningSql, runningValues } from '../access/running-sql.ts';
import { withPatience } from '../checkout/patience.ts';
import type { AdministrationGiven } from './administration-given.ts';

type Removed = { kind: string; of: string; paymentId: string | undefined };
export type Removal = { message: string; atProvider: 'none' | 'cancelled' | 'pending' };

const running = isRunningSql({ now: '$4', renewedSince: '$5' });
const mark = (table: string) =>
  `update ${table} set ended_at = $4 where user_id = $1 and livemode = $2 and id::text = $3 and ${running}`;

/**
 * Ends what a person has now, with an audit row. What the payment provider charges is cancelled there afterwards: while it does not
 * answer, it is asked again by a job. Nothing is paid back.
 * @throws SoukError not_found
 */
export async function removeAccess(
  given: AdministrationGiven,
  userId: string,
  id: string,
  by: { actorId: string; reason: string | undefined },
): Promise<Removal> {
  const { db, livemode, access, clock } = given;
  const nowMs = clock.now();
  const removed = await db.transaction(async (query) => {
    await given.keepUser(query, userId);
    const found = await markEnded(query, [userId, livemode, id, ...runningValues(nowMs)]);
    if (!found) throw new SoukError('not_found', { message: 'This user has no such subscription' });
    const { kind, of, paymentId } = found;
    const reason = by.reason ?? (kind === 'rental' ? 'Rental cancelled by admin' : 'Removed by admin');
    const details = { id, type: kind, of, ...(paymentId !== undefined && { paymentId }), sandbox: !livemode };
    await writeAuditWith(
      query,
      { actorId: by.actorId, action: 'access.removed', subject: userId, reason, details },
      new Date(nowMs),
    );
    return found;
  });
  await access.announce(userId);
  const atProvider = await endAtProvider(given, removed.paymentId);
  const later = ' The payment provider does not answer right now: it is told again by itself.';
  return { message: `The ${removed.kind} has ended.${atProvider === 'pending' ? later : ''}`, atProvider };
}

async function markEnded(query: Query, values: readonly unknown[]): Promise<Removed | undefined> {
  type Row = { kind: string; of: string; payment_id: string | null };
  const plans = await query<Row>(
    `${mark('subscriptions')} returning 'subscription' as kind, plan_id as of, payment_id`,
    values,
  );
  const { rows } =
    plans.rows.length > 0
      ? plans
      : await query<Row>(`${mark('access_grants')} returning kind, server_id as of, payment_id`, values);
  const [row] = rows;
  return row && { kind: row.kind, of: row.of, paymentId: row.payment_id ?? undefined };
}

async function endAtProvider(
  { subscriptions, log }: AdministrationGiven,
  paymentId: string | undefined,
): Promise<Removal['atProvider']> {
  if (paymentId === undefined || !subscriptions) return 'none';
  try {
    await withPatience(subscriptions.endNow(paymentId));
    return 'cancelled';
  } catch (error) {
    log.warn({ err: error, subscription: paymentId }, 'a removed subscription is not cancelled at the provider yet');
    return 'pending';
  }
}
