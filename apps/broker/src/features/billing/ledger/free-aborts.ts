import { arrayLiteral } from '#platform/db/array-literal.ts';
import type { Query } from '#platform/db/database.ts';
import type { Livemode } from './accounts.ts';

/** Calls that a person's clients may abort after dispatch in an hour without a charge (billing.md, Credits). */
export const freeAbortsPerHour = 5;

/**
 * Decides which of these aborted calls are free, and notes them. The caller has locked the accounts, so two brokers count
 * together; sent again, a call that was free stays free, and one that was charged stays charged. Keeps at most
 * `freeAbortsPerHour` rows a person.
 * @returns the ids of the calls that cost nothing
 */
export async function noteFreeAborts(
  query: Query,
  livemode: Livemode,
  calls: readonly { userId: string; callId: string }[],
): Promise<ReadonlySet<string>> {
  const { rows } = await query<{ call_id: string }>(freeText, [
    livemode,
    arrayLiteral(calls.map((call) => call.userId)),
    arrayLiteral(calls.map((call) => call.callId)),
  ]);
  return new Set(rows.map((row) => row.call_id));
}

const freeText = `
  with calls as materialized (
    select f.*, exists (select from credit_free_aborts a where a.call_id = f.call_id) as is_noted,
      exists (select from ledger_entries e where e.idem = 'call:' || f.call_id) as is_charged
    from unnest($2::uuid[], $3::uuid[]) with ordinality f (user_id, call_id, n)),
  recent as (
    select a.user_id, count(*) as aborts from credit_free_aborts a
    where a.user_id in (select user_id from calls) and a.livemode = $1 and a.at > now() - interval '1 hour'
    group by a.user_id),
  placed as materialized (
    select c.*, coalesce(r.aborts, 0)
      + count(*) filter (where not c.is_noted and not c.is_charged) over (partition by c.user_id order by c.n) as place
    from calls c left join recent r using (user_id)),
  past as (
    delete from credit_free_aborts a
    where a.user_id in (select user_id from calls) and a.livemode = $1 and a.at <= now() - interval '1 hour'),
  noted as (
    insert into credit_free_aborts (call_id, user_id, livemode, at)
    select call_id, user_id, $1, now() from placed
    where not is_noted and not is_charged and place <= ${freeAbortsPerHour})
  select call_id from placed where is_noted or (not is_charged and place <= ${freeAbortsPerHour})`;
