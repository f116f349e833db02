import { sql } from 'kysely';
import type { Database } from '#platform/db/database.ts';
import { reached } from './merge-overall.ts';

const dayMs = 24 * 60 * 60_000;
/** Time after the end of a day within which its rows may still be merged. */
const mergedWithinMs = 10 * 60_000;
const spanDays = 30;

const isoDay = (ms: number) => new Date(ms).toISOString().slice(0, 10);

/**
 * Counts users once for each past day: how many used a server on that day, and in the 30 days that end with yesterday and with
 * the day 30 days before today. In the background, without a time limit: it reads a month of use by day.
 */
export async function countPeople({ maintenance }: Pick<Database, 'maintenance'>, nowMs: number): Promise<void> {
  const yesterdayMs = nowMs - mergedWithinMs - dayMs;
  const firstDay = isoDay(nowMs - 2 * spanDays * dayMs);
  await sql`
    insert into usage_people_days (day, people)
    select days.day, count(distinct daily.user_id)
    from (select ${firstDay}::date + n as day from generate_series(0, ${isoDay(yesterdayMs)}::date - ${firstDay}::date) n) days
      left join usage_daily as daily on daily.day = days.day and ${sql.raw(reached)} > 0
    where not exists (select from usage_people_days as counted where counted.day = days.day)
    group by days.day on conflict do nothing`.execute(maintenance);
  for (const endMs of [nowMs - spanDays * dayMs, yesterdayMs]) {
    await sql`
      update usage_people_days set people_30 = (
        select count(distinct user_id) from usage_daily where ${sql.raw(reached)} > 0 and day > ${isoDay(endMs - spanDays * dayMs)}::date
          and day <= ${isoDay(endMs)}::date)
      where day = ${isoDay(endMs)}::date and people_30 is null`.execute(maintenance);
  }
}
