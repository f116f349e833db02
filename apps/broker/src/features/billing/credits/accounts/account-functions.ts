import { leaseChannel } from '../leases/ask-for-leases.ts';
import { burnLots } from './accounts.ts';

/** Calls that a user's clients may abort after dispatch in an hour without a charge. */
const freeAbortsPerHour = 5;

/**
 * A query plan that was made while the tables were empty would read whole tables for ever; JIT compilation costs more than it
 * saves. For the same reason each join repeats its keys as an array: a join alone may be planned as a scan of a whole index.
 */
export const ledgerSettings = `set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off`;

/**
 * Tidies locked accounts: expired credits that are not held leave the balance, then free credits repay debt. Expiry is decided
 * here, by time, at each use: it waits for no job. Held credits whose payment was clawed back became debt: if they are released
 * after their expiry (`unspent`), they cancel that debt, as they would have before it.
 */
const tidyAccounts = `
  create or replace function tidy_accounts(p_mode boolean, p_users uuid[]) returns void language plpgsql ${ledgerSettings} as $function$
  begin
    with over as materialized (
      select l.user_id, sum(l.remaining) as credits,
        sum(greatest(0, l.clawed + l.expired + l.remaining - l.granted)) as unspent
      from credit_lots l
      where l.user_id = any(p_users) and l.livemode = p_mode and l.open and l.expires_at <= now()
      group by l.user_id),
    expired as materialized (
      select c.user_id, c.balance, c.held, c.debt, coalesce(o.unspent, 0)::bigint as unspent,
        greatest(0, coalesce(o.credits, 0) - c.held)::bigint as gone
      from credit_accounts c left join over o using (user_id)
      where c.user_id = any(p_users) and c.livemode = p_mode),
    ended as materialized (select *, least(debt, gone, unspent) as undone from expired),
    tidied as materialized (
      select *, greatest(0, least(debt - undone, balance - gone - held)) as repaid from ended),
    burns as (select user_id, gone + repaid as credits, gone from tidied),
    ${burnLots('p_mode', { expiring: true })},
    entries as (
      insert into ledger_entries (user_id, livemode, delta, contra, balance_after, idem)
      select user_id, p_mode, undone - gone, 'expiry', balance - gone - debt + undone, 'expiry:' || gen_random_uuid()
      from tidied where gone > undone)
    update credit_accounts c set balance = c.balance - t.gone - t.repaid, debt = c.debt - t.undone - t.repaid,
      next_expiry = (select min(b.expires_at) from burned b where b.user_id = c.user_id and b.remaining > b.credits)
    from tidied t where c.user_id = t.user_id and c.livemode = p_mode and c.user_id = any(p_users);
  end $function$`;

/**
 * Locks accounts until the end of the transaction: the first step of every batch. Accounts that another transaction has locked
 * for more than 50 ms are left out, so that one busy account never blocks the others, and two batches never block each other
 * for long. It waits in the lock's queue: otherwise a broker that calls all the time would starve another one. When it returns,
 * expired credits have left the balance and free credits have repaid debt.
 */
const lockAccounts = `
  create or replace function lock_accounts(p_mode boolean, p_users uuid[]) returns uuid[] language plpgsql ${ledgerSettings} as $function$
  declare
    locked uuid[];
    untidy uuid[];
    others uuid[];
    also_untidy uuid[];
  begin
    select coalesce(array_agg(user_id), '{}'), coalesce(array_agg(user_id) filter (where is_untidy), '{}')
    into locked, untidy from (
      select user_id, debt > 0 or coalesce(next_expiry <= now(), false) as is_untidy from credit_accounts
      where user_id = any(p_users) and livemode = p_mode
      order by user_id for no key update skip locked) free;
    if cardinality(locked) < cardinality(p_users) then
      begin
        perform set_config('lock_timeout', '50ms', true);
        select array_agg(user_id), array_agg(user_id) filter (where is_untidy)
        into others, also_untidy from (
          select user_id, debt > 0 or coalesce(next_expiry <= now(), false) as is_untidy from credit_accounts
          where user_id = any(p_users) and user_id <> all(locked) and livemode = p_mode
          order by user_id for no key update) busy;
        locked := locked || others;
        untidy := untidy || also_untidy;
        perform set_config('lock_timeout', '0', true);
      exception when lock_not_available then null;
      end;
    end if;
    if cardinality(untidy) > 0 then perform tidy_accounts(p_mode, untidy); end if;
    return locked;
  end $function$`;

/** Asks brokers to return open leases, and returns how many such leases each user has. */
const askForLeases = `
  create or replace function ask_for_leases(p_mode boolean, p_users uuid[], p_but uuid)
  returns table (user_id uuid, leases bigint) language plpgsql ${ledgerSettings} as $function$
  #variable_conflict use_column
  begin
    return query
      with asked as (
        update credit_leases set state = 'asked'
        where user_id = any(p_users) and livemode = p_mode and state = 'open' and broker_id is distinct from p_but
        returning user_id),
      before as (
        select user_id from credit_leases
        where user_id = any(p_users) and livemode = p_mode and state = 'asked' and broker_id is distinct from p_but),
      counted as (
        select l.user_id, count(*) as leases, pg_notify('${leaseChannel}', l.user_id::text)
        from (select user_id from asked union all select user_id from before) l group by l.user_id)
      select counted.user_id, counted.leases from counted;
  end $function$`;

/**
 * Decides which aborted calls of locked accounts are free, and records them, so that all brokers count together. In a repeated
 * batch, a free dispatch stays free, and a charged one stays charged. A call of several rounds may be dispatched and aborted
 * many times: each dispatch counts, and is identified by its lease, because each further round has a lease of its own. Keeps at
 * most as many rows per user as are free.
 * @returns the places (`p_places`) of the free calls
 */
const noteFreeAborts = `
  create or replace function note_free_aborts(p_mode boolean, p_places bigint[], p_users uuid[], p_calls uuid[], p_leases uuid[])
  returns bigint[] language plpgsql ${ledgerSettings} as $function$
  declare free bigint[];
  begin
    with calls as materialized (
      select f.*,
        (select a.call_id from credit_free_aborts a where a.call_id = f.call_id and a.lease_id = f.lease_id) is not null
          as is_noted,
        (select e.id from ledger_entries e where e.idem = 'call:' || f.call_id) is not null as is_charged
      from unnest(p_places, p_users, p_calls, p_leases) f (n, user_id, call_id, lease_id)),
    recent as (
      select a.user_id, count(*) as aborts from credit_free_aborts a
      where a.user_id = any(p_users) and a.livemode = p_mode and a.at > now() - interval '1 hour'
      group by a.user_id),
    placed as materialized (
      select c.*, coalesce(r.aborts, 0)
        + count(*) filter (where not c.is_noted and not c.is_charged) over (partition by c.user_id order by c.n) as place
      from calls c left join recent r using (user_id)),
    past as (
      delete from credit_free_aborts a
      where a.user_id = any(p_users) and a.livemode = p_mode and a.at <= now() - interval '1 hour'),
    noted as (
      insert into credit_free_aborts (call_id, lease_id, user_id, livemode, at)
      select call_id, lease_id, user_id, p_mode, now() from placed
      where not is_noted and not is_charged and place <= ${freeAbortsPerHour})
    select array_agg(n) into free from placed
    where is_noted or (not is_charged and place <= ${freeAbortsPerHour});
    return coalesce(free, '{}');
  end $function$`;

export const accountFunctions: readonly string[] = [tidyAccounts, lockAccounts, askForLeases, noteFreeAborts];
