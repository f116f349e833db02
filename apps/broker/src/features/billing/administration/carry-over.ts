import { operatorOf, type DecidedBy } from '#platform/audit/decided-by.ts';
import { writeAuditWith } from '#platform/audit/audit-log.ts';
import type { Query } from '#platform/db/database.ts';
import { grantCredits } from '../ledger/change-credits.ts';
import type { AdministrationGiven } from './administration-given.ts';
import { providerSince } from './provider-since.ts';

/** What an administrator gave while nothing was sold, written as play money before that was changed. */
export type CarriedOver = {
  userId: string;
  email: string;
  kind: 'subscription' | 'rental' | 'purchase' | 'credits';
  /** The plan or the server; of credits, how many. */
  of: string;
};

/** isCertain: false where a provider was configured and nothing tells since when: nothing is carried over then. */
export type CarryOver = { carried: CarriedOver[]; isCertain: boolean };

/** More are carried over by another call. */
const mostAtOnce = 1_000;

type Row = { id: string; user_id: string; email: string; kind: CarriedOver['kind']; of: string; credits: number };

/**
 * Makes what administrators gave under PAYMENTS=off count for good. Only what the audit log proves: that an administrator gave
 * it, before any provider was configured here. What the stand-in sold or a test key brought stays what it is. May be repeated.
 * @param isCheck nothing is changed: what would be carried over is listed
 */
export async function carryOver(
  { db, access, clock }: Pick<AdministrationGiven, 'db' | 'access' | 'clock'>,
  { isCheck, by }: { isCheck: boolean; by: DecidedBy },
): Promise<CarryOver> {
  const since = await providerSince(db.query);
  if (since === 'unknown') return { carried: [], isCertain: false };
  const before = since === 'never' ? new Date(clock.now() + 1) : since;
  const carried = await db.transaction(async (query) => {
    const rows = [...(await findAccess(query, before)), ...(await findCredits(query, before))];
    if (isCheck) return rows;
    for (const row of rows) await carry(query, row, new Date(clock.now()), by);
    return rows;
  });
  if (!isCheck) for (const userId of new Set(carried.map((row) => row.user_id))) await access.announce(userId);
  return {
    carried: carried.map(({ user_id: userId, email, kind, of }) => ({ userId, email, kind, of })),
    isCertain: true,
  };
}

async function findAccess(query: Query, before: Date): Promise<Row[]> {
  const running = `source = 'administrator' and not g.livemode and g.ended_at is null
    and (g.period_ends_at is null or g.period_ends_at > now())`;
  const isProven = `exists (select from audit_log a where a.action = 'access.given' and a.subject = g.user_id::text
    and a.details->>'id' = g.id::text and a.at < $1)`;
  const isMissing = (
    of: string,
    same: string,
  ) => `not exists (select from ${of} l where l.user_id = g.user_id and l.livemode
    and l.ended_at is null and (l.period_ends_at is null or l.period_ends_at > now()) and ${same})`;
  const { rows } = await query<Row>(
    `select g.id, g.user_id, u.email, 'subscription' as kind, g.plan_id as of, 0 as credits
     from subscriptions g join users u on u.id = g.user_id
     where ${running} and ${isProven} and ${isMissing('subscriptions', 'l.plan_id = g.plan_id')}
     union all
     select g.id, g.user_id, u.email, g.kind, g.server_id, 0 from access_grants g join users u on u.id = g.user_id
     where ${running} and ${isProven}
       and ${isMissing('access_grants', 'l.server_id = g.server_id and l.kind = g.kind')}
     limit ${mostAtOnce}`,
    [before],
  );
  return rows;
}

/** What is left of credits that an administrator set, of lots that were not carried over before. */
async function findCredits(query: Query, before: Date): Promise<Row[]> {
  const { rows } = await query<Row>(
    `select l.idem as id, l.user_id, u.email, 'credits' as kind, l.remaining::text as of, l.remaining as credits
     from credit_lots l join ledger_entries e on e.idem = l.idem join users u on u.id = l.user_id
     where not l.livemode and l.open and e.contra = 'adjustment' and e.at < $1
       and exists (select from audit_log a where a.action = 'credits.set' and a.subject = l.user_id::text and a.at < $1
         and (a.details->>'change')::bigint = e.delta)
       and not exists (select from ledger_entries c where c.idem = 'carry-over:' || l.idem)
     order by l.number limit ${mostAtOnce}`,
    [before],
  );
  return rows;
}

async function carry(query: Query, row: Row, at: Date, by: DecidedBy): Promise<void> {
  const { id, user_id: userId, kind, of, credits } = row;
  if (kind === 'credits')
    await grantCredits(query, {
      userId,
      livemode: true,
      credits,
      source: 'promotional',
      idem: `carry-over:${id}`,
      reason: 'Given while nothing was sold',
    });
  else
    await query(
      `update ${kind === 'subscription' ? 'subscriptions' : 'access_grants'} set livemode = true where id = $1`,
      [id],
    );
  const details = { id, kind, of, ...operatorOf(by) };
  await writeAuditWith(query, { actorId: undefined, action: 'access.carried-over', subject: userId, details }, at);
}
