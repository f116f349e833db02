import { sql, type Kysely } from 'kysely';
import type { AllowedPackageForm } from '@souk/contract/admin/allowances.ts';
import { writeAudit } from '#platform/audit/audit-log.ts';
import { actorOf, operatorOf, type DecidedBy } from '#platform/audit/decided-by.ts';
import type { Database } from '#platform/db/database.ts';
import { SoukError } from '#platform/errors.ts';
import { allowanceChannel } from './address-rows.ts';

export type PackageRow = {
  form: AllowedPackageForm;
  integrity: string;
  lock: string;
  addedBy: string | null;
  addedAt: Date;
};

const mostPackages = 64;
const refuse = (message: string) => new SoukError('invalid_request', { message });

/** The rows of `allowed_packages`, each change with its audit row and its notice in one transaction. */
export function createPackageRows(db: Database) {
  const kysely: Kysely<Record<never, never>> = db.kysely;
  return {
    async read(): Promise<PackageRow[]> {
      const { rows } = await db.query<PackageRow>(
        `select form, integrity, lock, added_by as "addedBy", added_at as "addedAt" from allowed_packages order by alias`,
      );
      return rows;
    },

    /** @throws SoukError invalid_request where there are too many, or the alias is taken */
    add: (form: AllowedPackageForm, found: { lock: string; integrity: string }, by: DecidedBy, at: Date) =>
      kysely.transaction().execute(async (tx) => {
        await sql`lock table allowed_packages in share row exclusive mode`.execute(tx);
        const { rows: known } = await sql<{ alias: string }>`select alias from allowed_packages`.execute(tx);
        if (known.some(({ alias }) => alias === form.alias)) throw refuse(`${form.alias} is taken: remove it first.`);
        if (known.length >= mostPackages) throw refuse(`There are ${mostPackages} packages already: remove one first.`);
        await sql`insert into allowed_packages (alias, form, integrity, lock, added_by, added_at)
          values (${form.alias}, ${JSON.stringify(form)}::jsonb, ${found.integrity}, ${found.lock},
            ${actorOf(by) ?? null}, ${at})`.execute(tx);
        const details = { ...form, integrity: found.integrity, ...operatorOf(by) };
        const row = { actorId: actorOf(by), subject: form.alias, reason: by.reason, details };
        await writeAudit(tx, { ...row, action: 'package.allowed' }, at);
        await sql`select pg_notify(${allowanceChannel}, 'packages')`.execute(tx);
      }),

    /** @throws SoukError not_found */
    remove: (alias: string, by: DecidedBy, at: Date) =>
      kysely.transaction().execute(async (tx) => {
        const { numAffectedRows } = await sql`delete from allowed_packages where alias = ${alias}`.execute(tx);
        if (numAffectedRows === 0n) throw new SoukError('not_found', { message: `${alias} was not added here.` });
        const row = { actorId: actorOf(by), subject: alias, reason: by.reason, details: operatorOf(by) };
        await writeAudit(tx, { ...row, action: 'package.removed' }, at);
        await sql`select pg_notify(${allowanceChannel}, 'packages')`.execute(tx);
      }),
  };
}
