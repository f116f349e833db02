import { actionsOf, type AuditAction } from '@souk/contract/admin/audit-actions.ts';
import type { AuditFilter } from '@souk/contract/admin/audit.ts';
import type { NumberedPlace } from '@souk/contract/times.ts';
import { operatorSql } from '#platform/audit/audit-log.ts';
import type { Query } from '#platform/db/database.ts';
import { periodOf } from '#platform/http/period.ts';

export type StoredEntry = {
  id: number;
  at: Date;
  actorId: string | null;
  operator: string | null;
  action: string;
  subject: string;
  reason: string | null;
  details: Record<string, unknown>;
  address: string | null;
};

export type Wanted = AuditFilter & {
  limit: number;
  cursor?: NumberedPlace | undefined;
  /** Side of the cursor; without a cursor the newest rows are returned. */
  side?: 'older' | 'newer' | undefined;
};

export type UsersOfAddress = (prefix: string) => Promise<readonly string[]>;

const columns = `id, at, actor_id as "actorId", ${operatorSql} as operator, action, subject, reason, details, address`;
export const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * Returns rows of the audit log, newest first; for the side `newer`, nearest to the cursor first. Each filter has an index in
 * this order (0185-platform-audit-list).
 */
export async function findEntries(
  { query, usersOfAddress }: { query: Query; usersOfAddress: UsersOfAddress },
  wanted: Wanted,
): Promise<StoredEntry[]> {
  const values: unknown[] = [];
  const bind = (value: unknown) => `$${values.push(value)}`;
  // cuts off years that not every database can store
  const { from, to } = periodOf({ startDate: wanted.from, endDate: wanted.to });
  const isNewer = wanted.side === 'newer';
  const conditions = [
    ...(await whoConditions(wanted.who, bind, usersOfAddress)),
    ...(await objectConditions(wanted.object, bind, usersOfAddress)),
    ...(wanted.from ? [`at >= ${bind(from)}`] : []),
    ...(wanted.to ? [`at < ${bind(to)}`] : []),
    ...(wanted.cursor
      ? [`(at, id) ${isNewer ? '>' : '<'} (${bind(wanted.cursor.at)}::timestamptz, ${bind(wanted.cursor.id)}::bigint)`]
      : []),
  ];
  const order = isNewer ? 'order by at, id' : 'order by at desc, id desc';
  const limit = bind(wanted.limit);
  const select = (more: readonly string[]) => {
    const all = [...conditions, ...more];
    return `select ${columns} from audit_log ${all.length === 0 ? '' : `where ${all.join(' and ')}`} ${order} limit ${limit}`;
  };
  // One index scan per action of the group, with the action as a value, so that the planner knows which are rare. For a list of
  // actions it would sort every row.
  const actions: readonly AuditAction[] = wanted.group === undefined ? [] : actionsOf(wanted.group);
  const scans = actions.map((action) => `(${select([`action = ${bind(action)}`])})`);
  const text = scans.length === 0 ? select([]) : `${scans.join(' union all ')} ${order} limit ${limit}`;
  const { rows } = await query<StoredEntry>(text, values);
  return rows;
}

type Bind = (value: unknown) => string;

async function whoConditions(who: string | undefined, bind: Bind, usersOf: UsersOfAddress): Promise<string[]> {
  if (who === undefined) return [];
  if (who === 'people') return ['actor_id is not null'];
  if (who === 'operators') return ['actor_id is null', `${operatorSql} is not null`];
  if (who === 'broker') return ['actor_id is null', `${operatorSql} is null`];
  if (who.startsWith('operator:')) {
    const name = bind(who.slice('operator:'.length));
    return ['actor_id is null', `${operatorSql} is not null`, `${operatorSql} = ${name}`];
  }
  return [`actor_id = any(${bind(uuid.test(who) ? [who] : await usersOf(who))}::uuid[])`];
}

async function objectConditions(object: string | undefined, bind: Bind, usersOf: UsersOfAddress): Promise<string[]> {
  if (object === undefined) return [];
  if (object.includes('@')) return [`lower(subject) = any(${bind(await usersOf(object))}::text[])`];
  // escapes % and _ (PostgreSQL, section 9.7.1)
  const begins = `${object.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
  // offers are shown without the prefix that distinguishes their ids from servers'
  const either = [begins, `offer:${begins}`].map((pattern) => `lower(subject) like lower(${bind(pattern)})`);
  return [`(${either.join(' or ')})`];
}
