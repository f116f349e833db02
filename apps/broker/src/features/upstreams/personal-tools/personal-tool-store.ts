import type { ColumnType } from 'kysely';
import { createHash } from 'node:crypto';
import {
  reviewPersonalList,
  type Discovered,
  type PersonalItem,
  type PersonalChange,
  type PersonalList,
} from '#features/catalogue/index.ts';
import { writeCausedAudit, type AuditEntry } from '#platform/audit/audit-log.ts';
import type { Clock } from '#platform/clock.ts';
import type { Database } from '#platform/db/database.ts';
import type { Log } from '#platform/log.ts';
import type { StoredAccount } from '../sign-in/account-store.ts';

/** Largest list of one user: clients do not read larger ones, and all users share the memory. */
const maxListBytes = 4 * 1024 * 1024;
/** Names in one audit row. */
const maxAudited = 50;
/** Audit rows of one account per day: two for each automatic refetch, which is hourly. */
const maxAuditRowsADay = 48;

const tooManyChanges = 'a server keeps changing what it offers to a user: no more audit rows are written for it today';

type Json<T> = ColumnType<T, string, string>;
type PersonalToolTables = {
  upstream_connections: { user_id: string; server_id: string; id: string };
  personal_tools: {
    user_id: string;
    server_id: string;
    manifest_version: string;
    revision: string;
    items: Json<PersonalItem[]>;
    pins: Json<PersonalList['pins']>;
    discovered_at: Date;
  };
};

export type ListedAccount = Pick<StoredAccount, 'serverId' | 'kind' | 'state' | 'boundTo'> & {
  stored: { revision: string; version: string; discoveredAtMs: number } | undefined;
};

type StoredVersion =
  | { revision: string; version: string; discoveredAt: Date }
  | { revision: null; version: null; discoveredAt: null };

type Drift = Parameters<typeof reviewPersonalList>[0];

export class ListTooLarge extends Error {}

/** Stores what servers list for each user's accounts. Every query takes the user's id. */
export function createPersonalToolStore(options: { db: Database; clock: Clock; log: Log }) {
  const db = options.db.kysely.withTables<PersonalToolTables>();
  const { query } = options.db;

  return {
    /** Reads the user's accounts without their lists. */
    async heads(userId: string): Promise<ListedAccount[]> {
      const { rows } = await query<Omit<ListedAccount, 'stored'> & StoredVersion>(
        `select c.server_id as "serverId", c.kind, c.state, c.bound_to as "boundTo", o.revision,
           o.manifest_version as version, o.discovered_at as "discoveredAt"
         from upstream_connections c left join personal_tools o using (user_id, server_id)
         where user_id = $1 order by o.first_at, server_id`,
        [userId],
      );
      return rows.map(({ serverId, kind, state, boundTo, ...stored }) => {
        const { revision, version, discoveredAt } = stored;
        const known = revision === null ? undefined : { revision, version, discoveredAtMs: discoveredAt.getTime() };
        return { serverId, kind, state, boundTo, stored: known };
      });
    },

    /** Reads a server's list for a user, with the version of its manifest. */
    async list(userId: string, serverId: string): Promise<{ version: string; items: PersonalItem[] } | undefined> {
      const row = await db
        .selectFrom('personal_tools')
        .select(['manifest_version', 'items'])
        .where('user_id', '=', userId)
        .where('server_id', '=', serverId)
        .executeTakeFirst();
      return row && { version: row.manifest_version, items: row.items };
    },

    /**
     * Stores what a server lists for an account, reviewed against the user's first discovery, with audit rows for the
     * changes. Stores nothing if the account has been replaced or removed.
     * @param isTaken whether another server has an address on /mcp
     * @returns whether the user's list changed
     */
    async store(
      { id, userId, serverId }: StoredAccount,
      server: Drift,
      discovered: Discovered,
      isTaken: (uri: string) => boolean,
    ): Promise<boolean> {
      const at = new Date(options.clock.now());
      return db.transaction().execute(async (tx) => {
        // locked until the transaction ends: a disconnect waits, and then removes what is stored here
        const account = await tx
          .selectFrom('upstream_connections')
          .select('id')
          .where('user_id', '=', userId)
          .where('id', '=', id)
          .forKeyShare()
          .executeTakeFirst();
        if (!account) return false;
        const known = await tx
          .selectFrom('personal_tools')
          .select(['manifest_version', 'revision', 'items', 'pins'])
          .where('user_id', '=', userId)
          .where('server_id', '=', serverId)
          .forUpdate()
          .executeTakeFirst();
        const before = known && { version: known.manifest_version, items: known.items, pins: known.pins };
        const reviewed = await reviewPersonalList(server, discovered, before, isTaken, at.getTime());
        const items = JSON.stringify(reviewed.items);
        if (Buffer.byteLength(items) > maxListBytes) {
          throw new ListTooLarge(`${serverId} offers more than ${maxListBytes} bytes`);
        }
        const revision = createHash('sha256').update(items).digest('base64url');
        const row = {
          manifest_version: reviewed.version,
          revision,
          items,
          pins: JSON.stringify(reviewed.pins),
          discovered_at: at,
        };
        await tx
          .insertInto('personal_tools')
          .values({ user_id: userId, server_id: serverId, ...row })
          .onConflict((conflict) => conflict.columns(['user_id', 'server_id']).doUpdateSet(row))
          .execute();
        const source = { source: `${serverId} of ${userId}`, subject: serverId, maxRowsADay: maxAuditRowsADay };
        const leftOut = await writeCausedAudit(tx, source, auditRows(serverId, userId, reviewed.changes), at);
        if (leftOut?.isNews) options.log.warn({ server: serverId, userId }, tooManyChanges);
        return known?.revision !== revision;
      });
    },
  };
}

export type PersonalToolStore = ReturnType<typeof createPersonalToolStore>;

/** Returns one row for tools under review and one for accepted changes, however many tools changed. */
function auditRows(serverId: string, userId: string, changes: readonly PersonalChange[]): AuditEntry[] {
  return [true, false].flatMap((underReview) => {
    const some = changes.filter((change) => change.underReview === underReview);
    const action = underReview ? 'personal-tools.under-review' : 'personal-tools.accepted';
    return some.length === 0
      ? []
      : [{ actorId: undefined, action, subject: serverId, details: detailsOf(userId, some) }];
  });
}

function detailsOf(userId: string, changes: readonly PersonalChange[]) {
  const tools = changes.slice(0, maxAudited).map(({ tool, change }) => ({ tool, change }));
  return { userId, tools, count: changes.length };
}
