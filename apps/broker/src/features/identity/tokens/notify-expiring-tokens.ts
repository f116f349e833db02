import type { Query } from '#platform/db/database.ts';
import { queueNotice } from '#platform/notices/outbox.ts';

const atMostInRun = 500;

/** Notifies users of tokens that expire within seven days, except tokens with a lifetime below two weeks. */
export async function notifyExpiringTokens(query: Query, nowMs: number): Promise<void> {
  const { rows } = await query<{ id: string; user_id: string; name: string; expires_at: Date }>(
    `select id, user_id, name, expires_at from personal_tokens
     where revoked_at is null and expires_at > $1 and expires_at <= $1::timestamptz + interval '7 days'
       and expires_at - created_at >= interval '14 days'
       and not exists (select from notices where key = 'token_expires:' || personal_tokens.id)
     order by expires_at, id limit $2`,
    [new Date(nowMs), atMostInRun],
  );
  for (const { id, user_id: userId, name: token, expires_at: expiresAt } of rows) {
    const facts = { token, expiresAt: expiresAt.toISOString() };
    await queueNotice(query, { kind: 'token_expires', userId, event: id, facts }, new Date(nowMs));
  }
}
