import type { Query } from '#platform/db/database.ts';
import { latencyColumns, percentileMs } from '../daily/latency-buckets.ts';
import { reached } from './merge-overall.ts';

type BothSpans = { now: number; before: number };

type OverallUse = {
  calls: BothSpans;
  /** Calls that a server failed. */
  errors: BothSpans;
  /** Users whose calls reached a server; null if not counted yet. */
  people: { now: number; before: number | null };
  byDay: ReadonlyMap<string, { calls: number; errors: number }>;
  peopleByDay: ReadonlyMap<string, number>;
  /** The slowest servers first: 95 % of their answered `calls` took at most `p95Ms`. */
  slowest: { serverId: string; calls: number; p95Ms: number }[];
  /** Servers that failed the largest share of their calls. `calls` are the answered ones. */
  failing: { serverId: string; calls: number; errors: number }[];
};

type DayRow = { day: string; calls: number; failed: number };
type ServerRow = { server_id: string; answered: number; failed: number; latency: number[] };

/** Servers with fewer calls are left out: the sample is too small. */
const leastCalls = 20;
const maxServers = 10_000;
const shownServers = 5;

/** Reads the sums by day. @param span its first and last day, and those of the span before it (UTC) */
export async function readOverallUse(
  query: Query,
  span: { from: string; to: string; before: string; endedBefore: string },
): Promise<OverallUse> {
  const [days, servers, people, peopleDays] = await Promise.all([
    query<DayRow>(
      `select to_char(day, 'YYYY-MM-DD') as day, sum(answered)::bigint as calls, sum(failed)::bigint as failed
       from usage_by_day_of_all where day >= $1::date group by usage_by_day_of_all.day`,
      [span.before],
    ),
    query<ServerRow>(
      `select server_id, sum(answered)::bigint as answered, sum(failed)::bigint as failed,
         array[${latencyColumns.map((column) => `sum(${column})::bigint`).join(', ')}] as latency
       from usage_by_server_day where day >= $1::date group by server_id having sum(answered) + sum(failed) >= ${leastCalls}
       order by sum(answered) + sum(failed) desc limit ${maxServers}`,
      [span.from],
    ),
    query<{ people: number; today: number }>(
      `select
         (select count(*)::int from (
           select user_id from usage_people where last_day >= $1::date
           union select user_id from usage_parts where day >= $1::date group by user_id, day having sum(${reached}) > 0) used) as people,
         (select count(distinct user_id)::int from usage_by_day where day = $2::date and ${reached} > 0) as today`,
      [span.from, span.to],
    ),
    query<{ day: string; people: number; people_30: number | null }>(
      `select to_char(day, 'YYYY-MM-DD') as day, people, people_30 from usage_people_days where day >= $1::date`,
      [span.endedBefore],
    ),
  ]);
  const sum = (rows: readonly DayRow[], of: 'calls' | 'failed') => rows.reduce((total, row) => total + row[of], 0);
  const now = days.rows.filter(({ day }) => day >= span.from);
  const before = days.rows.filter(({ day }) => day < span.from);
  const [counted] = people.rows;
  const peopleByDay = new Map(peopleDays.rows.map((row) => [row.day, row.people]));
  return {
    calls: { now: sum(now, 'calls'), before: sum(before, 'calls') },
    errors: { now: sum(now, 'failed'), before: sum(before, 'failed') },
    people: {
      now: counted?.people ?? 0,
      before: peopleDays.rows.find(({ day }) => day === span.endedBefore)?.people_30 ?? null,
    },
    byDay: new Map(now.map(({ day, calls, failed }) => [day, { calls, errors: failed }])),
    peopleByDay: peopleByDay.set(span.to, counted?.today ?? 0),
    slowest: slowestOf(servers.rows),
    failing: failingOf(servers.rows),
  };
}

function slowestOf(rows: readonly ServerRow[]): OverallUse['slowest'] {
  return rows
    .flatMap(({ server_id: serverId, answered: calls, latency }) => {
      const p95Ms = calls >= leastCalls ? percentileMs(latency, 0.95) : undefined;
      return p95Ms === undefined ? [] : [{ serverId, calls, p95Ms }];
    })
    .toSorted((a, b) => b.p95Ms - a.p95Ms)
    .slice(0, shownServers);
}

function failingOf(rows: readonly ServerRow[]): OverallUse['failing'] {
  return rows
    .flatMap(({ server_id: serverId, answered: calls, failed: errors }) =>
      errors > 0 ? [{ serverId, calls, errors }] : [],
    )
    .toSorted((a, b) => failedShare(b) - failedShare(a))
    .slice(0, shownServers);
}

const failedShare = ({ calls, errors }: OverallUse['failing'][number]) => errors / (calls + errors);
