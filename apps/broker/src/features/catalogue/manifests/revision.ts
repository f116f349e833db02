import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { CatalogueDb } from '../tables.ts';
import { findCurrentHeadsOf, type ManifestHead } from './manifest-heads.ts';

type Current = Pick<ManifestHead, 'version' | 'status' | 'sha256'>;

/** Returns a code for what is deployed and staged for a server: other content has another code. */
export function revisionOf(heads: readonly Current[]): string {
  const named = (status: ManifestHead['status']) => {
    const head = heads.find((one) => one.status === status);
    return head ? [head.version, head.sha256] : null;
  };
  const text = JSON.stringify([named('deployed'), named('staging')]);
  return createHash('sha256').update(text).digest('base64url').slice(0, 22);
}

/** The last decision about a server, from its audit row. */
export type LastChange = { action: string; version: string | undefined; actorId: string | null; via: string; at: Date };

export class StaleWriteError extends Error {
  readonly stored: { serverId: string; heads: readonly ManifestHead[]; last: LastChange | undefined };

  constructor(stored: StaleWriteError['stored']) {
    super(`${stored.serverId} has changed`);
    this.stored = stored;
  }
}

/**
 * Requires the stored revision to be the expected one. To be called in the transaction of the change, under the lock of
 * deployments.
 * @param expected the revision that the caller was shown, if they sent one
 * @throws StaleWriteError when something else is deployed or staged by now
 */
export async function requireRevision(tx: CatalogueDb, serverId: string, expected: string | undefined): Promise<void> {
  if (expected === undefined) return;
  const heads = await findCurrentHeadsOf(tx, serverId);
  if (revisionOf(heads) !== expected) {
    throw new StaleWriteError({ serverId, heads, last: await lastChange(tx, serverId, heads) });
  }
}

const decisions = ['manifest.staged', 'manifest.deployed', 'manifest.undeployed', 'manifest.deleted'];

async function lastChange(
  tx: CatalogueDb,
  serverId: string,
  heads: readonly ManifestHead[],
): Promise<LastChange | undefined> {
  const { rows } = await sql<LastChange>`
    select action, details->>'version' as version, actor_id as "actorId", coalesce(details->>'via', 'start') as via, at
    from audit_log where subject = ${serverId} and action = any(${decisions}) order by id desc limit 1`.execute(tx);
  const [decided] = rows;
  // bundled manifests are staged without an audit row
  const staged = heads.find(({ status, origin }) => status === 'staging' && origin === 'bundled');
  if (!staged || (decided && decided.at >= staged.createdAt)) return decided;
  return { action: 'manifest.staged', version: staged.version, actorId: null, via: 'start', at: staged.createdAt };
}
