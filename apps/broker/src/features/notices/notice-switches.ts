import { personNotices, type PersonNotice } from '@souk/contract/notices.ts';
import type { Query } from '#platform/db/database.ts';

export async function readSwitchedOff(query: Query, userId: string): Promise<ReadonlySet<string>> {
  const { rows } = await query<{ kind: string }>('select kind from notice_switches where user_id = $1', [userId]);
  return new Set(rows.map(({ kind }) => kind));
}

/** Switches a kind of e-mails on or off for an existing account. A mandatory kind stays on. */
export async function setSwitch(
  query: Query,
  { userId, kind, isOn, at }: { userId: string; kind: PersonNotice; isOn: boolean; at: Date },
): Promise<void> {
  if (personNotices[kind].isDuty) return;
  if (isOn) await query('delete from notice_switches where user_id = $1 and kind = $2', [userId, kind]);
  else
    // a deletion marks the account first, so it either waits for this lock or is seen here
    await query(
      `insert into notice_switches (user_id, kind, off_since)
       select id, $2, $3 from users where id = $1 and deleted_at is null for share
       on conflict (user_id, kind) do nothing`,
      [userId, kind, at],
    );
}
