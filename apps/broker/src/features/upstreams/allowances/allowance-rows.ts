import { sql, type Kysely, type Transaction } from 'kysely';
import type { AllowedPackageForm } from '@souk/contract/admin/allowances.ts';
import { writeAudit, type AuditEntry } from '#platform/audit/audit-log.ts';
import { actorOf, operatorOf, type DecidedBy } from '#platform/audit/decided-by.ts';
import type { Clock } from '#platform/clock.ts';
import type { Database } from '#platform/db/database.ts';
import { SoukError } from '#platform/errors.ts';

type Added = { addedBy: string | null; addedAt: Date };
export type AddressRow = Added & { entry: string; addresses: string[]; note: string };
export type PackageRow = Added & { form: AllowedPackageForm; integrity: string; lock: string };

export const allowanceChannel = 'souk_allowances';

const tables = {
  // more entries would be a network policy, which is up to the operator
  addresses: { name: 'allowed_addresses', key: 'entry', max: 100, removed: 'address.removed' },
  packages: { name: 'allowed_packages', key: 'alias', max: 64, removed: 'package.removed' },
} as const;
type Kind = keyof typeof tables;
type Tx = Transaction<Record<never, never>>;

/** The rows of both tables. Each change is one transaction with its audit row and notice. */
export function createAllowanceRows({ db, clock }: { db: Database; clock: Clock }) {
  const kysely: Kysely<Record<never, never>> = db.kysely;

  function change(
    kind: Kind,
    { details, ...entry }: Pick<AuditEntry, 'action' | 'subject' | 'details'>,
    by: DecidedBy,
    work: (tx: Tx, at: Date) => Promise<void>,
  ): Promise<void> {
    const at = new Date(clock.now());
    return kysely.transaction().execute(async (tx) => {
      await work(tx, at);
      const audited = { ...entry, actorId: actorOf(by), reason: by.reason, details: { ...details, ...operatorOf(by) } };
      await writeAudit(tx, audited, at);
      await sql`select pg_notify(${allowanceChannel}, ${kind})`.execute(tx);
    });
  }

  return {
    async readAddresses(): Promise<AddressRow[]> {
      const { rows } = await db.query<AddressRow>(
        `select entry, addresses, note, added_by as "addedBy", added_at as "addedAt" from allowed_addresses order by entry`,
      );
      return rows;
    },

    async readPackages(): Promise<PackageRow[]> {
      const { rows } = await db.query<PackageRow>(
        `select form, integrity, lock, added_by as "addedBy", added_at as "addedAt" from allowed_packages order by alias`,
      );
      return rows;
    },

    /** @throws SoukError invalid_request when there are too many, or the entry exists */
    addAddress({ entry, addresses, note }: Pick<AddressRow, 'entry' | 'addresses' | 'note'>, by: DecidedBy) {
      const audit = { action: 'address.allowed', subject: entry, details: { addresses, note } } as const;
      return change('addresses', audit, by, async (tx, at) => {
        await requireRoom(tx, 'addresses', entry, `${entry} is allowed already.`);
        await sql`insert into allowed_addresses (entry, addresses, note, added_by, added_at)
          values (${entry}, ${JSON.stringify(addresses)}::jsonb, ${note}, ${actorOf(by) ?? null}, ${at})`.execute(tx);
      });
    },

    /** @throws SoukError invalid_request when there are too many, or the alias is taken */
    addPackage(form: AllowedPackageForm, { lock, integrity }: Pick<PackageRow, 'lock' | 'integrity'>, by: DecidedBy) {
      const { alias } = form;
      const audit = { action: 'package.allowed', subject: alias, details: { ...form, integrity } } as const;
      return change('packages', audit, by, async (tx, at) => {
        await requireRoom(tx, 'packages', alias, `${alias} is taken: remove it first.`);
        await sql`insert into allowed_packages (alias, form, integrity, lock, added_by, added_at)
          values (${alias}, ${JSON.stringify(form)}::jsonb, ${integrity}, ${lock}, ${actorOf(by) ?? null}, ${at})`.execute(
          tx,
        );
      });
    },

    /** @throws SoukError not_found */
    remove(kind: Kind, id: string, by: DecidedBy) {
      const { name, key, removed } = tables[kind];
      return change(kind, { action: removed, subject: id }, by, async (tx) => {
        const { numAffectedRows } = await sql`delete from ${sql.table(name)} where ${sql.ref(key)} = ${id}`.execute(tx);
        if (numAffectedRows === 0n) throw new SoukError('not_found', { message: `${id} was not added here.` });
      });
    },
  };
}

/** @throws SoukError invalid_request when the row exists, or there are too many */
async function requireRoom(tx: Tx, kind: Kind, id: string, taken: string): Promise<void> {
  const { name, key, max } = tables[kind];
  const refuse = (message: string) => new SoukError('invalid_request', { message });
  // locked, so that the count stays valid
  await sql`lock table ${sql.table(name)} in share row exclusive mode`.execute(tx);
  const { rows } = await sql<{ id: string }>`select ${sql.ref(key)} as id from ${sql.table(name)}`.execute(tx);
  if (rows.some((row) => row.id === id)) throw refuse(taken);
  if (rows.length >= max) throw refuse(`There are ${max} ${kind} already: remove one first.`);
}
