import { ledgerSettings } from '../accounts/account-functions.ts';
import { burnLots, spentThisMonth, thisMonth } from '../accounts/accounts.ts';

export const leaseAnswer = `
  create type lease_answer as (lease_id uuid, user_id uuid, granted bigint, free bigint, available bigint, under_cap bigint,
    demand bigint, is_settled boolean, is_under_way boolean)`;

/** See grant-leases.ts. No row for an account that another transaction has locked. */
const grantLeases = `
  create or replace function grant_leases(p_mode boolean, p_broker uuid, p_leases uuid[], p_users uuid[], p_needs bigint[],
    p_demands bigint[], p_extras bigint[], p_calls uuid[])
  returns table (answer lease_answer, expected bigint, is_alive boolean)
  language plpgsql ${ledgerSettings} as $function$
  #variable_conflict use_column
  declare
    locked uuid[] := lock_accounts(p_mode, p_users);
    alive boolean := exists (select from credit_brokers b where b.id = p_broker);
    answers lease_answer[];
    short uuid[];
  begin
    with asks as materialized (
      select a.*,
        case when c.user_id is null or c.closed then 0 else greatest(0, c.balance - c.held - c.debt) end as available,
        case when c.monthly_cap is not null then greatest(0, c.monthly_cap - c.held - ${spentThisMonth}) end as under_cap,
        a.call_id is not null and (
          select e.id from ledger_entries e where e.idem = 'call:' || a.call_id) is not null as is_settled,
        a.call_id is not null and (
          select l.id from credit_leases l where l.call_id = a.call_id) is not null as is_under_way
      from unnest(p_leases, p_users, p_needs, p_demands, p_extras, p_calls)
        a (lease_id, user_id, need, demand, extra, call_id)
        left join credit_accounts c on c.user_id = a.user_id and c.livemode = p_mode and c.user_id = any(p_users)
      where c.user_id is null or a.user_id = any(locked)),
    capped as (select *, least(available, under_cap) as free from asks),
    sized as materialized (
      select *, case
        when not alive or free < need or is_settled or is_under_way then 0
        else least(free, demand) + case
          -- if a twentieth does not cover a call, the balance is low, and the lease has exactly what is needed
          when (free - demand) / 20 < need then 0
          else least(extra, (free - demand) / 20) end
        end as size
      from capped),
    leases as (
      insert into credit_leases (id, user_id, livemode, broker_id, granted, call_id)
      select lease_id, user_id, p_mode, p_broker, size, call_id from sized where size > 0),
    accounts as (
      update credit_accounts c set held = c.held + s.size
      from sized s
      where c.user_id = s.user_id and c.livemode = p_mode and c.user_id = any(locked) and s.size > 0)
    select array_agg(row(lease_id, user_id, size, free, available, under_cap, demand, is_settled, is_under_way)::lease_answer)
      into answers from sized;
    short := array(select a.user_id from unnest(answers) a where alive and a.granted < a.demand);
    if cardinality(short) = 0 then
      return query select a, 0::bigint, alive from unnest(answers) a;
    else
      return query select a, coalesce(e.leases, 0), alive
        from unnest(answers) a left join ask_for_leases(p_mode, short, p_broker) e on e.user_id = a.user_id;
    end if;
  end $function$`;

/** See trim-leases.ts. Returned credits may have expired meanwhile, or repay debt. */
const trimLeases = `
  create or replace function trim_leases(p_mode boolean, p_broker uuid, p_leases uuid[], p_users uuid[], p_keeps bigint[])
  returns uuid[] language plpgsql ${ledgerSettings} as $function$
  #variable_conflict use_column
  declare
    wanted uuid[] := array(select distinct u from unnest(p_users) u);
    locked uuid[] := lock_accounts(p_mode, wanted);
    changed uuid[];
  begin
    with trims as materialized (
      select l.id, l.user_id, l.spent, l.granted, least(l.granted, greatest(t.keep, l.spent)) as keep
      from unnest(p_leases, p_users, p_keeps) t (lease_id, user_id, keep)
        join credit_leases l on l.id = t.lease_id and l.user_id = t.user_id and l.livemode = p_mode and l.broker_id = p_broker
          and l.id = any(p_leases)
      where t.user_id = any(locked)),
    empty as (delete from credit_leases l using trims t where l.id = t.id and t.keep = t.spent),
    kept as (
      update credit_leases l set granted = t.keep, state = 'draining' from trims t where l.id = t.id and t.keep > t.spent),
    returned as (select user_id, sum(granted - keep)::bigint as credits from trims group by user_id),
    accounts as (
      update credit_accounts c set held = c.held - r.credits
      from returned r
      where c.user_id = r.user_id and c.livemode = p_mode and c.user_id = any(locked) and r.credits > 0
      returning c.user_id)
    select array_agg(user_id) into changed from accounts;
    if changed is not null then perform tidy_accounts(p_mode, changed); end if;
    -- an account that does not exist has no lease: nothing is left to trim
    return locked || array(
      select u from unnest(wanted) u where u <> all(locked)
        and (select c.user_id from credit_accounts c where c.user_id = u and c.livemode = p_mode) is null);
  end $function$`;

/**
 * See settle-calls.ts. All charges, and the usage rows that users see, in one statement and one round trip. `free` and `lost`
 * have the ids of the calls, followed by those of their leases in the same order: a call of several rounds may be in a batch
 * more than once.
 */
const settleCalls = `
  create or replace function settle_calls(p_mode boolean, p_leases uuid[], p_aborts boolean[], p_calls uuid[], p_users uuid[],
    p_servers text[], p_names text[], p_outcomes text[], p_reasons text[], p_credits bigint[], p_durations int[],
    p_clients text[], p_tokens text[], p_ats timestamptz[], p_rounds int[])
  returns table (settled uuid[], free uuid[], lost uuid[], asked uuid[])
  language plpgsql ${ledgerSettings} as $function$
  #variable_conflict use_column
  declare
    locked uuid[] := lock_accounts(p_mode, array(select distinct u from unnest(p_users) u));
    free_places bigint[] := '{}';
    free_calls uuid[];
    lost_calls uuid[];
    asked_users uuid[];
    written bigint;
    spent_up uuid[];
  begin
    if true = any(p_aborts) then
      select note_free_aborts(p_mode, array_agg(n order by n), array_agg(user_id order by n),
          array_agg(call_id order by n), array_agg(lease_id order by n))
        into free_places
        from unnest(p_users, p_calls, p_leases, p_aborts) with ordinality a (user_id, call_id, lease_id, is_abort, n)
        where is_abort and user_id = any(locked);
    end if;
    with calls as materialized (
      select f.*, f.n = any(free_places) as is_free,
        f.is_abort or f.rounds > 1 as is_alone,
        -- as a value, not as exists(), which may be planned as a scan of every row
        case when f.is_abort or f.rounds > 1
          then (select e.id from ledger_entries e where e.idem = 'call:' || f.call_id) is not null
          else (select u.credits from usage_events u where u.created_at = f.at and u.call_id = f.call_id) > 0
        end is true as is_seen
      from unnest(p_leases, p_aborts, p_calls, p_users, p_servers, p_names, p_outcomes, p_reasons, p_credits, p_durations,
          p_clients, p_tokens, p_ats, p_rounds) with ordinality
        f (lease_id, is_abort, call_id, user_id, server_id, name, outcome, reason, credits, duration_ms,
          client_id, token_id, at, rounds, n)
      where f.user_id = any(locked)),
    fenced as materialized (
      select c.*, l.state, l.granted - l.spent as room, coalesce(
        not c.is_free and not c.is_seen
          and sum(case when c.is_seen or c.is_free then 0 else c.credits end) over (partition by c.lease_id order by c.n)
            <= l.granted - l.spent, false) as pays
      from calls c left join credit_leases l on l.id = c.lease_id and l.user_id = c.user_id and l.livemode = p_mode
        and l.id = any(p_leases)),
    of_leases as (
      select lease_id, sum(credits)::bigint as credits, min(room) as room from fenced where pays group by lease_id),
    spent as (
      update credit_leases l set spent = l.spent + s.credits
      from of_leases s where l.id = s.lease_id and s.credits < s.room),
    charges as (
      select user_id, sum(credits)::bigint as credits, array_agg(call_id) as calls, is_alone, min(n) as n
      from fenced where pays group by user_id, is_alone, case when is_alone then call_id end),
    burns as (select user_id, sum(credits)::bigint as credits from charges group by user_id),
    accounts as (
      update credit_accounts c set balance = c.balance - b.credits, held = c.held - b.credits, month = ${thisMonth},
        month_spent = b.credits + case when c.month = ${thisMonth} then c.month_spent else 0 end
      from burns b where c.user_id = b.user_id and c.livemode = p_mode and c.user_id = any(locked)
      returning c.user_id, c.balance + b.credits - c.debt as before),
    entries as (
      insert into ledger_entries (user_id, livemode, delta, contra, balance_after, idem, calls)
      select g.user_id, p_mode, -g.credits, 'usage',
        c.before - sum(g.credits) over (partition by g.user_id order by g.n),
        case when g.is_alone then 'call:' else 'calls:' end || g.calls[1], g.calls
      from charges g join accounts c on c.user_id = g.user_id),
    ${burnLots('p_mode')}
    select array_agg(distinct user_id) filter (where state = 'asked'),
      array_agg(call_id order by n) filter (where is_free) || array_agg(lease_id order by n) filter (where is_free),
      array_agg(call_id order by n) filter (where not pays and not is_seen and not is_free)
        || array_agg(lease_id order by n) filter (where not pays and not is_seen and not is_free),
      write_usage(array_agg(row(call_id, user_id, server_id, 'tool', name, outcome,
        case when is_free then reason when not pays and not is_seen then 'lease_lost' when is_abort then 'aborts_used_up' else reason end,
        case when is_free or not (pays or is_seen) then 0 else credits end,
        duration_ms, client_id, token_id, at, 1, rounds,
        case when not is_free and (pays or is_seen) then p_mode end)::usage_events)),
      (select array_agg(lease_id) from of_leases where credits = room)
      into asked_users, free_calls, lost_calls, written, spent_up from fenced;
    if spent_up is not null then delete from credit_leases where id = any(spent_up); end if;
    return query select locked, free_calls, lost_calls, asked_users;
  end $function$`;

export const leaseFunctions: readonly string[] = [grantLeases, trimLeases, settleCalls];
