import type { listPersonSignIns, SignInOutcome } from '@souk/contract/admin/person.ts';
import type { Answer } from '@souk/contract/endpoint.ts';
import { writeCursor, type Place } from '@souk/contract/times.ts';
import type { Query } from '#platform/db/database.ts';
import type { Ids } from '#platform/ids.ts';
import type { Log } from '#platform/log.ts';
import { providerIdOf, type StoredProvider } from '../users/user-provider.ts';

/** Older sign-ins are of no use against a stolen account. */
const keptDays = 90;

type SignIns = Pick<Answer<typeof listPersonSignIns>, 'signIns' | 'nextCursor'>;
type Row = Omit<SignIns['signIns'][number], 'at' | 'provider'> & { at: Date; provider: StoredProvider };

/** Records a sign-in of the user of (provider, subject), if they have an account here. */
export type RecordSignIn = (signIn: {
  provider: StoredProvider;
  subject: string;
  outcome: SignInOutcome;
  address: string;
  browserName: string | null;
  atMs: number;
}) => Promise<void>;

/** Creates the recorder. A failure is only logged: a sign-in succeeds even if it cannot be recorded. */
export const createSignInRecorder =
  ({ query, ids, log }: { query: Query; ids: Ids; log: Log }): RecordSignIn =>
  async ({ provider, subject, outcome, address, browserName, atMs }) => {
    await query(
      `insert into sign_ins (id, user_id, at, provider, address, browser_name, outcome)
       select $1, i.user_id, $2, i.provider, $5, $6, $7 from identities i where i.provider = $3 and i.subject = $4`,
      [ids.uuid(), new Date(atMs), provider, subject, address, browserName, outcome],
    ).catch((error: unknown) => log.error({ err: error }, 'a sign-in could not be recorded'));
  };

/** One page of a user's sign-ins, newest first. */
export async function readSignIns(
  query: Query,
  userId: string,
  { limit, cursor }: { limit: number; cursor?: Place | undefined },
): Promise<SignIns> {
  const { rows } = await query<Row>(
    `select id, at, provider, address, browser_name as "browserName", outcome from sign_ins
     where user_id = $1 and ($2::timestamptz is null or (at, id) < ($2::timestamptz, $3::uuid))
     order by at desc, id desc limit $4`,
    [userId, cursor?.at ?? null, cursor?.id ?? null, limit + 1],
  );
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return {
    signIns: page.map((row) => ({ ...row, at: row.at.toISOString(), provider: providerIdOf(row.provider) })),
    nextCursor: rows.length > limit && last ? writeCursor({ at: last.at, id: last.id }) : null,
  };
}

export async function reapSignIns(query: Query): Promise<number> {
  const { affectedRows } = await query(`delete from sign_ins where at < now() - interval '${keptDays} days'`);
  return affectedRows;
}
