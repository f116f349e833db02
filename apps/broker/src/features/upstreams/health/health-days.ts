import type { Query } from '#platform/db/database.ts';
import type { Clock } from '#platform/clock.ts';
import type { Log } from '#platform/log.ts';

/** The shop shows 30 days; 90 are kept to investigate earlier outages. */
const keptDays = 90;
const dayMs = 86_400_000;

/** Results of the checks of one day (UTC). */
export type HealthDay = { day: string; up: number; down: number };

type Count = { serverId: string; day: string; up: number; down: number };

/** Counts the results of checks: one row per day and server, to which every replica adds. */
export function createHealthDays({ query, clock, log }: { query: Query; clock: Clock; log: Log }) {
  let counts = new Map<string, Count>();
  let reapedOn = '';

  function add({ serverId, day, up, down }: Count): void {
    const key = `${day} ${serverId}`;
    const known = counts.get(key);
    if (known) {
      known.up += up;
      known.down += down;
    } else counts.set(key, { serverId, day, up, down });
  }

  async function reap(today: string): Promise<void> {
    if (reapedOn === today) return;
    await query(`delete from server_health_days where day <= $1::date - $2::int`, [today, keptDays]);
    reapedOn = today;
  }

  return {
    /** Counts checks in memory. */
    count(checks: readonly { serverId: string; isUp: boolean }[]): void {
      const day = dayOf(clock.now());
      for (const { serverId, isUp } of checks) add({ serverId, day, up: isUp ? 1 : 0, down: isUp ? 0 : 1 });
    },

    /** Writes the counts, and deletes days that are too old. */
    async flush(): Promise<void> {
      let batch = [...counts.values()];
      counts = new Map();
      try {
        if (batch.length > 0) await query(insert, columns(batch));
        batch = [];
        await reap(dayOf(clock.now()));
      } catch (error) {
        // the counts stay in memory: one per day and server, however long the database is unavailable
        batch.forEach(add);
        log.warn({ err: error }, 'the health of servers cannot be written yet');
      }
    },

    /** Reads the days with checks among the last `days`, today included, oldest first. */
    async read(serverId: string, days = 30): Promise<HealthDay[]> {
      const { rows } = await query<HealthDay>(
        `select to_char(day, 'YYYY-MM-DD') as day, up, down from server_health_days
         where server_id = $1 and day > $2::date - $3::int order by day`,
        [serverId, dayOf(clock.now()), days],
      );
      return rows;
    },
  };
}

const insert = `
  insert into server_health_days (server_id, day, up, down)
  select * from unnest($1::text[], $2::date[], $3::int[], $4::int[])
  on conflict (server_id, day) do update
    set up = server_health_days.up + excluded.up, down = server_health_days.down + excluded.down`;

function columns(batch: readonly Count[]): unknown[] {
  // sorted, so that two replicas do not wait for each other's rows
  const sorted = batch.toSorted((one, other) => (one.serverId < other.serverId ? -1 : 1));
  return [
    sorted.map(({ serverId }) => serverId),
    sorted.map(({ day }) => day),
    sorted.map(({ up }) => up),
    sorted.map(({ down }) => down),
  ];
}

function dayOf(atMs: number): string {
  return new Date(atMs - (atMs % dayMs)).toISOString().slice(0, 10);
}
