import type { Database, Query } from '#platform/db/database.ts';
import type { Ids } from '#platform/ids.ts';
import { programMark } from './attempt-event.ts';
import type { MergedEvent } from './event-writer.ts';

/** Attempts of one user. Beyond that, the oldest are deleted. */
const maxAttemptsPerUser = 100;
const shownAttempts = 50;
const keepUnknownMs = 20 * 60_000;
const keepMs = 30 * 24 * 60 * 60_000;

export type AttemptRow = {
  id: string;
  /** Null if the attempt has no grant yet. */
  grant_id: string | null;
  client_id: string | null;
  client_name: string | null;
  client_version: string | null;
  user_agent: string | null;
  era: 'legacy' | 'modern' | null;
  protocol_version: string | null;
  first_passed: Record<string, number>;
  last_passed: Record<string, number>;
  failed: Record<string, { atMs: number; reason: string; facts: Record<string, string> }>;
  personal_token_name: string | null;
  started_at: Date;
  last_at: Date;
};

/** The SQL of attempts. Every read names the user. */
export function createAttemptStore(db: Database, ids: Ids) {
  return {
    /** Updates or begins an attempt, whose user stays once known. Deactivated and deleted accounts record nothing. */
    async write(event: MergedEvent): Promise<void> {
      await db.transaction(async (query) => {
        const key = event.isUnnamed ? await newestProgram(query, event) : event.key;
        if (event.formerKey !== undefined) {
          await query(
            // the user who allows a sign-in may differ from the one who was signed in when it began
            `update connection_attempts set key = $2, user_id = coalesce($3, user_id)
             where key = $1 and not exists (select 1 from connection_attempts where key = $2)`,
            [event.formerKey, event.key, event.userId ?? null],
          );
        }
        const { rows } = await query<{ is_new: boolean }>(
          `insert into connection_attempts as a
             (id, key, user_id, client_id, client_name, user_agent, era, protocol_version,
              first_passed, last_passed, failed, started_at, last_at, client_version)
           select $1::uuid, $2::text, $3::uuid, $4::text, $5::text, $6::text, $7::text, $8::text,
             $9::jsonb, $10::jsonb, $11::jsonb, $12::timestamptz, $13::timestamptz, $14::text
           where $3::uuid is null
             or exists (select 1 from users where id = $3::uuid and is_active and deleted_at is null)
           on conflict (key) do update set
             user_id = coalesce(a.user_id, excluded.user_id),
             client_id = coalesce(excluded.client_id, a.client_id),
             client_name = coalesce(excluded.client_name, a.client_name),
             client_version = coalesce(excluded.client_version, a.client_version),
             user_agent = coalesce(excluded.user_agent, a.user_agent),
             era = coalesce(excluded.era, a.era),
             protocol_version = coalesce(excluded.protocol_version, a.protocol_version),
             first_passed = excluded.first_passed || a.first_passed,
             last_passed = a.last_passed || excluded.last_passed,
             failed = a.failed || excluded.failed,
             last_at = greatest(a.last_at, excluded.last_at)
           returning xmax = 0 as is_new`,
          [
            ids.uuid(),
            key,
            event.userId ?? null,
            event.clientId ?? null,
            event.clientName ?? null,
            event.userAgent ?? null,
            event.era ?? null,
            event.protocolVersion ?? null,
            JSON.stringify(event.firstPassed),
            JSON.stringify(event.lastPassed),
            JSON.stringify(event.failed),
            new Date(event.startedAtMs),
            new Date(event.atMs),
            event.clientVersion ?? null,
          ],
        );
        if (rows[0]?.is_new === true && event.userId !== undefined) await trim(query, event.userId);
      });
    },

    async list(userId: string, now: Date): Promise<AttemptRow[]> {
      const { rows } = await db.query<AttemptRow>(
        `select a.id, case when a.key like 'grant:%' then substr(a.key, 7) end as grant_id, a.client_id, a.client_name,
           a.client_version, a.user_agent, a.era, a.protocol_version, a.first_passed,
           a.last_passed, a.failed, a.started_at, a.last_at, t.name as personal_token_name
         from connection_attempts a
           left join personal_tokens t on a.key like 'personal:%' and t.user_id = a.user_id
             and t.id::text = split_part(a.key, ':', 2)
         where a.user_id = $1 and a.last_at > $2 order by a.last_at desc, a.id desc limit ${shownAttempts}`,
        [userId, new Date(now.getTime() - keepMs)],
      );
      return rows;
    },

    async removePersonalToken(tokenId: string): Promise<void> {
      await db.query(`delete from connection_attempts where key like $1`, [`personal:${tokenId}:%`]);
    },

    /** Deletes attempts older than 30 days, and sign-ins that ended before their user was known. */
    async reap(now: Date): Promise<void> {
      await db.query(`delete from connection_attempts where last_at < $1 or (user_id is null and last_at < $2)`, [
        new Date(now.getTime() - keepMs),
        new Date(now.getTime() - keepUnknownMs),
      ]);
    },
  };
}

/** Finds the attempt for an event of a program without a name: the newest of this token and user agent. */
async function newestProgram(query: Query, { userId, key }: Pick<MergedEvent, 'userId' | 'key'>): Promise<string> {
  const { rows } = await query<{ key: string }>(
    `select key from connection_attempts where user_id = $1 and (key = $2 or starts_with(key, $3))
     order by last_at desc, id desc limit 1`,
    [userId ?? null, key, key + programMark],
  );
  return rows[0]?.key ?? key;
}

async function trim(query: Query, userId: string): Promise<void> {
  await query(
    `delete from connection_attempts where user_id = $1 and id not in
       (select id from connection_attempts where user_id = $1 order by last_at desc, id desc limit ${maxAttemptsPerUser})`,
    [userId],
  );
}
