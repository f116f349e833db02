import { sql, type Kysely } from 'kysely';
import { writeAudit } from '#platform/audit/audit-log.ts';
import { actorOf, operatorOf, type DecidedBy } from '#platform/audit/decided-by.ts';
import type { Database } from '#platform/db/database.ts';
import { SoukError } from '#platform/errors.ts';

export type AddressRow = { entry: string; addresses: string[]; note: string; addedBy: string | null; addedAt: Date };

export const allowanceChannel = 'souk_allowances';
/** More would be a policy of the network, which is the operator's. */
const mostEntries = 100;

/** The rows of `allowed_addresses`, each change with its audit row and its notice in one transaction. */
export type AddressRows = {
  read(): Promise<AddressRow[]>;
  /** @throws SoukError invalid_request where there are too many, or it is there */
  add(row: Pick<AddressRow, 'entry' | 'addresses' | 'note'>, by: DecidedBy, at: Date): Promise<void>;
  /** @throws SoukError not_found */
  remove(entry: string, by: DecidedBy, at: Date): Promise<void>;
};

export function createAddressRows(db: Database): AddressRows {
  const kysely: Kysely<Record<never, never>> = db.kysely;
  const refuse = (message: string) => new SoukError('invalid_request', { message });
  return {
    async read() {
      const { rows } = await db.query<AddressRow>(
        `select entry, addresses, note, added_by as "addedBy", added_at as "addedAt" from allowed_addresses order by entry`,
      );
      return rows;
    },

    add: ({ entry, addresses, note }, by, at) =>
      kysely.transaction().execute(async (tx) => {
        // one after the other, so that the count holds
        await sql`lock table allowed_addresses in share row exclusive mode`.execute(tx);
        const { rows: known } = await sql<{ entry: string }>`select entry from allowed_addresses`.execute(tx);
        if (known.some((one) => one.entry === entry)) throw refuse(`${entry} is allowed already.`);
        if (known.length >= mostEntries) throw refuse(`There are ${mostEntries} addresses already: remove one first.`);
        await sql`insert into allowed_addresses (entry, addresses, note, added_by, added_at)
          values (${entry}, ${JSON.stringify(addresses)}::jsonb, ${note}, ${actorOf(by) ?? null}, ${at})`.execute(tx);
        const details = { addresses, note, ...operatorOf(by) };
        const actorId = actorOf(by);
        await writeAudit(tx, { actorId, action: 'address.allowed', subject: entry, reason: by.reason, details }, at);
        await sql`select pg_notify(${allowanceChannel}, 'addresses')`.execute(tx);
      }),

    remove: (entry, by, at) =>
      kysely.transaction().execute(async (tx) => {
        const { numAffectedRows } = await sql`delete from allowed_addresses where entry = ${entry}`.execute(tx);
        if (numAffectedRows === 0n) throw new SoukError('not_found', { message: `${entry} was not added here.` });
        const details = operatorOf(by);
        const actorId = actorOf(by);
        await writeAudit(tx, { actorId, action: 'address.removed', subject: entry, reason: by.reason, details }, at);
        await sql`select pg_notify(${allowanceChannel}, 'addresses')`.execute(tx);
      }),
  };
}
