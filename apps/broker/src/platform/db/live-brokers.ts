import { randomUUID } from 'node:crypto';
import type { Log } from '../log.ts';
import type { Migration, Query } from './database.ts';
import type { BrokerFigures, ListedBroker, LiveBrokers } from './share-of.ts';

export const liveBrokerMigrations: readonly Migration[] = [
  {
    name: '0002-platform-brokers',
    statements: [
      // key_ids: the master keys that a broker has; sealing_id: the one that it seals with. null: the broker has not reported yet
      `create table live_brokers (
        id uuid primary key,
        seen_at timestamptz not null,
        version text,
        since timestamptz,
        calls_per_second double precision,
        lag_ms double precision,
        key_ids text[],
        sealing_id text
      )`,
    ],
  },
];

const beatMs = 4_000;
/** Silence after which other brokers consider this one dead. */
const life = `interval '12 s'`;

export function createLiveBrokers(query: Query, log: Log): LiveBrokers {
  const id = randomUUID();
  let known = 1;
  let timer: NodeJS.Timeout | undefined;
  let read: (() => BrokerFigures) | undefined;

  async function beat(): Promise<void> {
    const { version, since, callsPerSecond, lagMs, keyIds, sealingId }: Partial<BrokerFigures> = read?.() ?? {};
    const { rows } = await query<{ count: number }>(
      `with own as (
         insert into live_brokers (id, seen_at, version, since, calls_per_second, lag_ms, key_ids, sealing_id)
           values ($1, clock_timestamp(), $2, $3, $4, $5, $6, $7)
         on conflict (id) do update set seen_at = excluded.seen_at, version = excluded.version, since = excluded.since,
           calls_per_second = excluded.calls_per_second, lag_ms = excluded.lag_ms,
           key_ids = excluded.key_ids, sealing_id = excluded.sealing_id),
       gone as (delete from live_brokers where seen_at < clock_timestamp() - interval '1 hour')
       select 1 + count(*)::int as count from live_brokers where id <> $1 and seen_at > clock_timestamp() - ${life}`,
      [id, version, since, callsPerSecond, lagMs, keyIds, sealingId],
    );
    known = rows[0]?.count ?? known;
  }

  return {
    count: () => known,
    async join() {
      await beat();
      timer = setInterval(() => {
        // while the database is unreachable, the last count stays
        beat().catch((error: unknown) => log.debug({ err: error }, 'the live brokers could not be counted'));
      }, beatMs).unref();
    },
    describe(figures) {
      read = figures;
    },
    async list() {
      const { rows } = await query<ListedBroker>(
        `select id, id = $1 as "isThis", seen_at > clock_timestamp() - ${life} as "isAlive", seen_at as "seenAt", version,
           since, calls_per_second as "callsPerSecond", lag_ms as "lagMs", key_ids as "keyIds", sealing_id as "sealingId"
         from live_brokers where seen_at > clock_timestamp() - interval '1 hour'
         order by 2 desc, 3 desc, since limit 100`,
        [id],
      );
      return rows;
    },
    async leave() {
      if (!timer) return;
      clearInterval(timer);
      await query('delete from live_brokers where id = $1', [id]);
    },
  };
}
