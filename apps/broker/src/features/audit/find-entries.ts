import { actionsOf, type AuditAction } from '@souk/contract/admin/audit-actions.ts';
import type { AuditFilter } from '@souk/contract/admin/audit.ts';
import type { NumberedPlace } from '@souk/contract/times.ts';
import { operatorSql } from '#platform/audit/audit-log.ts';
import type { Query } from '#platform/db/database.ts';
import { periodOf } from '#platform/http/period.ts';

/** A row as it is stored. */
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
  /** The rows on this side of the cursor; without a cursor the newest. */
  side?: 'older' | 'newer' | undefined;
};

/** The ids of users whose e-mail address begins so. */
export type UsersOfAddress = (prefix: string) => Promise<readonly string[]>;

const columns = `id, at, actor_id as "actorId", ${operatorSql} as operator, action, subject, reason, details, address`;
export const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * Rows of the audit log in the order of their side: the newest first, or of `newer` the nearest first. Each filter has an index
 * in this order (0185-platform-audit-list).
 */
export async function findEntries(
  { query, usersOfAddress }: { query: Query; usersOfAddress: UsersOfAddress },
  wanted: Wanted,
): Promise<StoredEntry[]> {
  const values: unknown[] = [];
  const bind = (value: unknown) => `$${values.push(value)}`;
  // years beyond make no time on every database
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
  // One walk for each action of the group, with its name as a value: the planner then knows which of them are rare. Of all of
  // them at once it would sort every row.
  const actions: readonly AuditAction[] = wanted.group === undefined ? [] : actionsOf(wanted.group);
  const walks = actions.map((action) => `(${select([`action = ${bind(action)}`])})`);
  const text = walks.length === 0 ? select([]) : `${walks.join(' union all ')} ${order} limit ${limit}`;
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
  // PostgreSQL, section 9.7.1: % and _ stand for themselves
  const begins = `${object.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
  // people read the id of an offer without what tells it apart from a server's
  const either = [begins, `offer:${begins}`].map((pattern) => `lower(subject) like lower(${bind(pattern)})`);
  return [`(${either.join(' or ')})`];
}
