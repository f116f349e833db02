import { createHash } from 'node:crypto';
import { sql, type Kysely } from 'kysely';
import type { SecretKind } from '@souk/contract/admin/secrets.ts';
import { writeAudit } from '#platform/audit/audit-log.ts';
import { actorOf, operatorOf, type DecidedBy } from '#platform/audit/decided-by.ts';
import type { Vault } from '#platform/crypto/vault.ts';
import type { Database, Query } from '#platform/db/database.ts';
import { SoukError } from '#platform/errors.ts';

/** A secret, and the only place that gets it. The name of a header is in lower case. */
export type SecretOf = { serverId: string; kind: SecretKind; name: string; place: string };

export type SecretRow = SecretOf & { sealed: string; setBy: string | null; setAt: Date };

export const secretChannel = 'souk_server_secrets';
/** Secrets per server. It needs few, but its former addresses may have some too. */
const maxPerServer = 128;

/** The rows of `server_secrets`. Each change is one transaction with its audit row and notice. */
export function createSecretRows({ db, vault }: { db: Database; vault: Vault }) {
  const kysely: Kysely<Record<never, never>> = db.kysely;
  return {
    /** @param serverIds undefined: all servers */
    async read(serverIds?: readonly string[]): Promise<SecretRow[]> {
      const { rows } = await db.query<SecretRow>(
        `select server_id as "serverId", kind, name, place, sealed, set_by as "setBy", set_at as "setAt"
         from server_secrets where $1::jsonb is null or server_id in (select jsonb_array_elements_text($1::jsonb))
         order by server_id, kind, name, place_hash`,
        [serverIds === undefined ? null : JSON.stringify(serverIds)],
      );
      return rows;
    },

    /** @throws SoukError invalid_request when the server has too many */
    put: (of: SecretOf, value: string, by: DecidedBy, at: Date) =>
      kysely.transaction().execute(async (tx) => {
        // serializes changes per server, so that the count holds and the audit log is in order
        await sql`select 1 from servers where id = ${of.serverId} for update`.execute(tx);
        const { rows: known } = await sql<{ same: boolean }>`select (kind, name, place_hash)
            = (${of.kind}::text, ${of.name}::text, ${hashOf(of.place)}::text) as same
          from server_secrets where server_id = ${of.serverId}`.execute(tx);
        const isKnown = known.some(({ same }) => same);
        if (!isKnown && known.length >= maxPerServer) {
          throw new SoukError('invalid_request', {
            message: `${of.serverId} has ${maxPerServer} secrets already: remove those that are not used.`,
          });
        }
        await sql`insert into server_secrets (server_id, kind, name, place_hash, place, sealed, set_by, set_at)
          values (${of.serverId}, ${of.kind}, ${of.name}, ${hashOf(of.place)}, ${of.place},
            ${vault.seal(contextOf(of), value)}, ${actorOf(by) ?? null}, ${at})
          on conflict (server_id, kind, name, place_hash) do update
            set sealed = excluded.sealed, set_by = excluded.set_by, set_at = excluded.set_at`.execute(tx);
        await auditAndNotify(tx, of, isKnown ? 'secret.replaced' : 'secret.set', by, at);
      }),

    /** @throws SoukError not_found */
    remove: (of: SecretOf, by: DecidedBy, at: Date) =>
      kysely.transaction().execute(async (tx) => {
        const { numAffectedRows } = await sql`delete from server_secrets where server_id = ${of.serverId}
          and kind = ${of.kind} and name = ${of.name} and place_hash = ${hashOf(of.place)}`.execute(tx);
        if (numAffectedRows === 0n) {
          throw new SoukError('not_found', { message: `${of.serverId} has no secret ${of.name} for ${of.place}.` });
        }
        await auditAndNotify(tx, of, 'secret.removed', by, at);
      }),

    /** @throws SealedTextError */
    open: (row: SecretRow): string => vault.open(contextOf(row), row.sealed),
  };
}

/** Reads the names of entered variables, without their values, for a check without a running broker. */
export async function readEnteredNames(query: Query): Promise<{ serverId: string; name: string; place: string }[]> {
  const { rows } = await query<{ serverId: string; name: string; place: string }>(
    `select server_id as "serverId", name, place from server_secrets where kind = 'variable'`,
  );
  return rows;
}

/** Writes the audit row and notifies all brokers on commit. */
async function auditAndNotify(
  tx: Parameters<typeof writeAudit>[0],
  { serverId, kind, name, place }: SecretOf,
  action: 'secret.set' | 'secret.replaced' | 'secret.removed',
  by: DecidedBy,
  at: Date,
): Promise<void> {
  const details = { kind, name, place, ...operatorOf(by) };
  await writeAudit(tx, { actorId: actorOf(by), action, subject: serverId, reason: by.reason, details }, at);
  await sql`select pg_notify(${secretChannel}, ${serverId})`.execute(tx);
}

/**
 * Returns the context that a secret is sealed for. A row that is changed or copied to another server or place cannot be
 * opened.
 */
function contextOf({ serverId, kind, name, place }: SecretOf) {
  return { table: 'server_secrets', row: JSON.stringify([serverId, kind, name, place]), userId: '' };
}

/** Hashes a place, since an address may be too long for an index key. */
function hashOf(place: string): string {
  return createHash('sha256').update(place).digest('base64url');
}
