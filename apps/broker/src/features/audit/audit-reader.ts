import { actionText } from '@souk/contract/admin/audit-actions.ts';
import type { AuditEntryShown, AuditFilter } from '@souk/contract/admin/audit.ts';
import { writeNumberedCursor } from '@souk/contract/times.ts';
import type { Query } from '#platform/db/database.ts';
import { inPages } from '#platform/db/in-pages.ts';
import { findEntries, uuid, type StoredEntry, type UsersOfAddress, type Wanted } from './find-entries.ts';
import { describeDetails } from './describe-details.ts';

/** The audit log as administrators and the operator's command see it. */
export type AuditReader = {
  /** Returns a page of matching rows, newest first, and the cursors of the adjacent pages. */
  list(wanted: Wanted): Promise<{ entries: AuditEntryShown[]; newer: string | null; older: string | null }>;
  all(filter: AuditFilter, most: number): AsyncGenerator<readonly AuditEntryShown[], void>;
};

export function createAuditReader(parts: {
  query: Query;
  /** Returns the e-mail addresses of users whose accounts exist. */
  emailsOf(userIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
  usersOfAddress: UsersOfAddress;
}): AuditReader {
  async function present(rows: readonly StoredEntry[]): Promise<AuditEntryShown[]> {
    const people = rows.flatMap((row) => [row.actorId, userIdOf(row)]).filter((id) => id !== null);
    const emails = await parts.emailsOf([...new Set(people)]);
    return rows.map((row) => presentEntry(row, emails));
  }

  return {
    async list(wanted) {
      const { limit, cursor } = wanted;
      const rows = await findEntries(parts, { ...wanted, limit: limit + 1 });
      const hasMore = rows.length > limit;
      const isNewer = wanted.side === 'newer';
      const page = isNewer ? rows.slice(0, limit).toReversed() : rows.slice(0, limit);
      const cursorOf = (row: StoredEntry | undefined, isThere: boolean) =>
        row && isThere ? writeNumberedCursor(row) : null;
      return {
        entries: await present(page),
        // a page that was reached by a cursor has a page on that side
        newer: cursorOf(page[0], isNewer ? hasMore : cursor !== undefined),
        older: cursorOf(page.at(-1), isNewer || hasMore),
      };
    },
    async *all(filter, most) {
      const pages = inPages<StoredEntry>((last, limit) => findEntries(parts, { ...filter, cursor: last, limit }), most);
      for await (const rows of pages) yield present(rows);
    },
  };
}

const uuidOf = (value: unknown) => (typeof value === 'string' && uuid.test(value) ? value : null);

/** Returns the id of the user that a row is about: its object, or the user of a payment. */
function userIdOf({ action, subject, details }: StoredEntry): string | null {
  const { object } = actionText(action);
  if (object === 'user' || object === 'other') return uuidOf(subject);
  return object === 'payment' || object === 'subscription' ? uuidOf(details['userId']) : null;
}

function presentEntry(row: StoredEntry, emails: ReadonlyMap<string, string>): AuditEntryShown {
  const { object, text } = actionText(row.action);
  const userId = userIdOf(row);
  const email = userId === null ? undefined : emails.get(userId);
  const isServer = object === 'server' || object === 'tool';
  const offerId = object === 'offer' ? row.subject.replace(/^offer:/, '') : null;
  return {
    id: String(row.id),
    at: row.at.toISOString(),
    who: whoOf(row, emails),
    action: row.action,
    text,
    object: {
      id: row.subject,
      name: offerId ?? nameOf[object] ?? (userId === null ? row.subject : (email ?? 'a deleted user')),
      serverId: isServer ? (row.subject.split('/', 1)[0] ?? null) : null,
      userId: email === undefined ? null : userId,
      offerId,
    },
    ...describeDetails(row),
    reason: row.reason,
    address: row.address,
  };
}

const nameOf: Readonly<Record<string, string>> = { 'all-servers': 'All servers' };

function whoOf({ actorId, operator }: StoredEntry, emails: ReadonlyMap<string, string>): AuditEntryShown['who'] {
  if (actorId !== null) return { kind: 'person', id: actorId, email: emails.get(actorId) ?? null };
  return operator === null ? { kind: 'broker' } : { kind: 'operator', name: operator === '' ? null : operator };
}
