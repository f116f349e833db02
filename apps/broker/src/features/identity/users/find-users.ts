import type { Query } from '#platform/db/database.ts';
import type { UserCounts } from './count-users.ts';
import type { PeoplePlans } from './people-plans.ts';
import { freePlan } from './present-profile.ts';
import type { StoredProvider } from './user-provider.ts';

export type WantedUsers = {
  page: number;
  limit: number;
  /** Beginning of an e-mail address or of a word of the name, in any case. */
  search?: string | undefined;
  role?: 'user' | 'admin' | undefined;
  isActive?: boolean | undefined;
  /** Id of a running plan; `free`: users without one. */
  plan?: string | undefined;
};

type Parts = { query: Query; providers: readonly StoredProvider[]; adminEmails: readonly string[]; plans: PeoplePlans };
export type FoundUsers = { ids: string[]; total: number };

/**
 * Finds a page of users, newest first, and their number. Filters that match nearly everyone walk an index, and count
 * what they exclude; filters that match few collect the matches first, and count those.
 * @param counts of all users
 */
export function findUsers(parts: Parts, wanted: WantedUsers, counts: UserCounts): Promise<FoundUsers> {
  const isNarrow =
    Boolean(wanted.search) || wanted.role === 'admin' || (wanted.plan !== undefined && wanted.plan !== freePlan.planId);
  return isNarrow ? findFew(parts, wanted) : walkMany(parts, wanted, counts);
}

async function findFew(parts: Parts, wanted: WantedUsers): Promise<FoundUsers> {
  const { values, bind } = placesOf();
  // a name is stored with single spaces
  const prefix = wanted.search && `${escapeLike(wanted.search.replaceAll(/\s+/g, ' '))}%`;
  const found = prefix
    ? `select u.id, u.created_at from (select user_id as id, created_at from user_prefixes
         where prefix like lower(${bind(prefix)}) and provider = any(${bind(parts.providers)}::text[])
         group by user_id, created_at) as u ${joinFor(wanted)} where true ${conditions(parts, wanted, bind)}`
    : `select u.id, u.created_at from users u where u.provider = any(${bind(parts.providers)}::text[])
         and u.deleted_at is null ${conditions(parts, wanted, bind)}`;
  const { limit, offset } = placeOf(wanted);
  const { rows } = await parts.query<{ total: number; ids: string[] | null }>(
    `with found as materialized (${found})
     select (select count(*)::int from found) as total, array(
       select id::text from found order by created_at desc, id limit ${bind(limit)} offset ${bind(offset)}) as ids`,
    values,
  );
  return { ids: rows[0]?.ids ?? [], total: rows[0]?.total ?? 0 };
}

async function walkMany(parts: Parts, wanted: WantedUsers, counts: UserCounts): Promise<FoundUsers> {
  const { isActive, role, plan } = wanted;
  const all = isActive === undefined ? counts.total : isActive ? counts.active : counts.total - counts.active;
  if (role !== undefined || plan !== undefined) {
    const [ids, leftOut] = await Promise.all([walk(parts, wanted, placeOf(wanted)), countLeftOut(parts, wanted)]);
    return { ids, total: all - leftOut };
  }
  const { limit, offset } = placeOf(wanted);
  const last = Math.min(limit, all - offset);
  // the later half is walked from the end, so that the last page costs no more than the first
  if (last > 0 && offset > all / 2) {
    const fromEnd = { limit: last, offset: all - offset - last, isFromEnd: true };
    return { ids: (await walk(parts, wanted, fromEnd)).toReversed(), total: all };
  }
  return { ids: await walk(parts, wanted, { limit, offset }), total: all };
}

type Place = { limit: number; offset: number; isFromEnd?: boolean };
const placeOf = ({ page, limit }: WantedUsers): Place => ({ limit, offset: (page - 1) * limit });

async function walk(parts: Parts, wanted: WantedUsers, { limit, offset, isFromEnd }: Place): Promise<string[]> {
  const { values, bind } = placesOf();
  const { rows } = await parts.query<{ id: string }>(
    `select u.id::text from users u where u.provider = any(${bind(parts.providers)}::text[]) and u.deleted_at is null
       ${conditions(parts, wanted, bind)}
     order by ${isFromEnd ? 'u.created_at, u.id desc' : 'u.created_at desc, u.id'} limit ${bind(limit)} offset ${bind(offset)}`,
    values,
  );
  return rows.map(({ id }) => id);
}

/** Counts the users that a wide filter excludes: administrators, and users with a plan. */
async function countLeftOut({ query, ...parts }: Parts, { role, plan, isActive }: WantedUsers): Promise<number> {
  const { values, bind } = placesOf();
  const base = `select u.id from users u where u.provider = any(${bind(parts.providers)}::text[]) and u.deleted_at is null
    ${activeCondition(isActive, 'u')}`;
  const without = [
    ...(role === 'user' ? [`${base} and ${isAdministrator(parts, bind)}`] : []),
    ...(plan !== undefined ? [`${base} and ${parts.plans.hasPlan(undefined, 'u.id', bind)}`] : []),
  ];
  if (without.length === 0) return 0;
  const { rows } = await query<{ found: number }>(
    `select count(*)::int as found from (${without.join(' union ')}) as found`,
    values,
  );
  return rows[0]?.found ?? 0;
}

type Bind = (value: unknown) => string;

/** Returns the conditions other than the search. `u` has the user's id; a search joins the user's row as `p` (joinFor). */
function conditions(parts: Omit<Parts, 'query'>, { role, plan, isActive, search }: WantedUsers, bind: Bind): string {
  const row = search ? 'p' : 'u';
  const all = [activeCondition(isActive, row)];
  if (role !== undefined) all.push(`and ${role === 'user' ? 'not ' : ''}${isAdministrator(parts, bind, row)}`);
  // CASE makes it a check per row: without statistics the planner would join, and compare everyone with everyone
  if (plan === freePlan.planId)
    all.push(`and case when ${parts.plans.hasPlan(undefined, 'u.id', bind)} then false else true end`);
  else if (plan !== undefined) all.push(`and ${parts.plans.hasPlan(plan, 'u.id', bind)}`);
  return all.join(' ');
}

function joinFor({ role, isActive }: WantedUsers): string {
  return role === undefined && isActive === undefined ? '' : 'join users p on p.id = u.id';
}

/** Writes a literal instead of a parameter, because the index of deactivated users is partial. */
function activeCondition(isActive: boolean | undefined, row: string): string {
  return isActive === undefined ? '' : `and ${isActive ? '' : 'not '}${row}.is_active`;
}

function isAdministrator({ adminEmails }: Pick<Parts, 'adminEmails'>, bind: Bind, row = 'u'): string {
  return `${row}.email = any(${bind(adminEmails)}::text[])`;
}

function placesOf(): { values: unknown[]; bind: Bind } {
  const values: unknown[] = [];
  return { values, bind: (value) => `$${values.push(value)}` };
}

/** Escapes % and _ for LIKE (PostgreSQL, section 9.7.1). */
export function escapeLike(text: string): string {
  return text.replaceAll(/[\\%_]/g, String.raw`\$&`);
}
