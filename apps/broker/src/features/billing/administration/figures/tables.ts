const columns = 'livemode, day, figure, currency, amount';
const dayOf = (moment: string) => `(${moment} at time zone 'UTC')::date`;

/** Amounts by day (UTC) from the signed rows of a table. */
type Source = { table: string; addUp: (rows: string) => string };

const addUp = (facts: string) => `
  select livemode, day, figure, currency, sum(amount)::bigint from (${facts}) facts
  group by livemode, day, figure, currency having sum(amount) <> 0`;

/** A refunded payment still counts; its refund is a row of its own. */
const transactions: Source = {
  table: 'transactions',
  addUp: (rows) =>
    addUp(`select livemode, ${dayOf('created_at')} as day, case when type = 'refund' then 'returned' else 'paid' end as figure,
      upper(currency) as currency, sign * amount as amount
    from (${rows}) t where status = 'completed' or (status = 'refunded' and type <> 'refund')`),
};

/** Tax, which the shop passes on: added by payments, reduced by refunds. */
const taxes: Source = {
  table: 'transactions',
  addUp: (rows) =>
    addUp(`select livemode, ${dayOf('created_at')} as day, 'tax' as figure, upper(currency) as currency,
      case when type = 'refund' then -sign else sign end * tax as amount
    from (${rows}) t where tax > 0 and (status = 'completed' or (status = 'refunded' and type <> 'refund'))`),
};

/** Paid plans and rentals by the days on which they started and ended. */
const owned = (table: string, what: string, condition = 'true'): Source => ({
  table,
  addUp: (rows) =>
    addUp(`select livemode, ${dayOf('started_at')} as day, '${what}_new' as figure, '' as currency, sign as amount
    from (${rows}) s where source = 'payment' and ${condition}
    union all select livemode, ${dayOf('ended_at')}, '${what}_lost', '', sign
    from (${rows}) s where source = 'payment' and ended_at is not null and ${condition}`),
});

const entries: Source = {
  table: 'ledger_entries',
  addUp: (rows) =>
    addUp(`select livemode, ${dayOf('at')} as day, 'credits_' || contra as figure, '' as currency, sign * delta as amount
    from (${rows}) e`),
};

/** Remaining credits by source: the sum up to a day is what users had on that day. */
const lots: Source = {
  table: 'credit_lots',
  addUp: (rows) =>
    addUp(`select livemode, ${dayOf('now()')} as day, 'left_' || source as figure, '' as currency,
      sign * remaining as amount from (${rows}) l`),
};

const added = 'select *, 1 as sign from new_rows';
const removed = 'select *, -1 as sign from old_rows';
const changes = {
  insert: { rows: added, tables: 'new table as new_rows' },
  update: { rows: `${added} union all ${removed}`, tables: 'old table as old_rows new table as new_rows' },
  delete: { rows: removed, tables: 'old table as old_rows' },
} as const;

/** Creates the triggers that sum up what statements change in a table. All sources are of that table. */
const follow = (sources: readonly [Source, ...Source[]], events: readonly (keyof typeof changes)[]): string[] =>
  events.flatMap((event) => {
    const [{ table }] = sources;
    const inserts = sources.map(
      ({ addUp: sum }) => `insert into figure_parts (${columns}) ${sum(changes[event].rows)};`,
    );
    return [
      `create function ${table}_${event}_figures() returns trigger language plpgsql
       set plan_cache_mode = force_generic_plan set jit = off as $function$
       begin
         ${inserts.join('\n         ')}
         return null;
       end $function$`,
      `create trigger ${table}_${event}_figures after ${event} on ${table} referencing ${changes[event].tables}
         for each statement execute function ${table}_${event}_figures()`,
    ];
  });

const all = ['insert', 'update', 'delete'] as const;
const plans = owned('subscriptions', 'plans');
const rentals = owned('access_grants', 'rentals', `kind = 'rental'`);

const definition = `
  livemode boolean not null,
  day date not null,
  figure text not null,
  currency text not null,
  amount bigint not null`;

/**
 * Money, subscriptions and credits by day (UTC): the database sums up what each statement changes, in its transaction. Like
 * usage by day, statements only append, to figure_parts: with a row for each day, payments would wait for each other. A job
 * merges parts into figure_days, and figures_by_day is both (decision 0067).
 */
export const figureStatements: readonly string[] = [
  `create table figure_days (${definition}, primary key (livemode, figure, currency, day)) with (fillfactor = 70)`,
  `create table figure_parts (${definition})`,
  `create view figures_by_day as select ${columns} from figure_days union all select ${columns} from figure_parts`,
  ...follow([transactions, taxes], all),
  ...follow([plans], all),
  ...follow([rentals], all),
  ...follow([entries], ['insert']),
  ...follow([lots], all),
];

/** Moves up to $1 parts to figure_days, and returns their number. */
export const mergeText = `
  with taken as (
    delete from figure_parts where ctid = any (array(select ctid from figure_parts limit $1)) returning ${columns}),
  merged as (
    insert into figure_days as days (${columns})
    select livemode, day, figure, currency, sum(amount) from taken group by livemode, day, figure, currency
    on conflict (livemode, figure, currency, day) do update set amount = days.amount + excluded.amount)
  select count(*) as parts from taken`;
