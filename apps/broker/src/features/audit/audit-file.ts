import type { AuditEntryShown } from '@souk/contract/admin/audit.ts';
import type { Columns } from '#platform/http/answers/csv.ts';

/** Returns the actor as one line. */
export function describeActor(who: AuditEntryShown['who']): string {
  if (who.kind === 'person') return who.email ?? 'a deleted user';
  return who.kind === 'operator' ? `operator ${who.name ?? '(by command)'}` : 'the broker';
}

/** Returns the details of a row as one line: credits: 5 -> 10; demo payments: yes. */
export function describeChanges({ changes, facts, ids }: Pick<AuditEntryShown, 'changes' | 'facts' | 'ids'>): string {
  return [
    ...changes.map(({ field, before, after }) => `${field}: ${before ?? '(none)'} -> ${after ?? '(none)'}`),
    ...[...facts, ...ids].map(({ name, text }) => `${name}: ${text}`),
  ].join('; ');
}

export const auditColumns: Columns<AuditEntryShown> = {
  id: ({ id }) => Number(id),
  at: ({ at }) => at,
  who: ({ who }) => describeActor(who),
  userId: ({ who }) => (who.kind === 'person' ? who.id : null),
  what: ({ text }) => text,
  action: ({ action }) => action,
  object: ({ object }) => object.name,
  objectId: ({ object }) => object.id,
  changes: describeChanges,
  reason: ({ reason }) => reason,
  address: ({ address }) => address,
};

export async function* linesOf(pages: AsyncIterable<readonly AuditEntryShown[]>): AsyncGenerator<string, void> {
  for await (const rows of pages) yield rows.map((row) => `${JSON.stringify(row)}\n`).join('');
}
