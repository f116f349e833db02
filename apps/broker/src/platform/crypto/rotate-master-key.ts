import { setTimeout as wait } from 'node:timers/promises';
import { writeAuditWith } from '../audit/audit-log.ts';
import type { Database, Query } from '../db/database.ts';
import { encryptedColumns } from './encrypted-columns.ts';
import { masterKeyChannel, readRotation } from './master-key-state.ts';
import { resealColumn, type ResealedColumn } from './reseal-column.ts';
import type { KeyRing } from './vault.ts';

export type RotateMasterKey = {
  db: Pick<Database, 'query' | 'transaction' | 'brokers'>;
  /** Contains the former and the next key. */
  keys: KeyRing;
  formerId: string;
  nextId: string;
  /** The user name of the operator who runs the command. */
  operator: string;
  onProgress(line: string): void;
};

/** A broker reports its keys every 4 s, and is considered alive for 12 s after its last heartbeat. */
const patienceMs = 20_000;
const pollMs = 250;
/** Brokers seal with the next key before the first pass, so that the second finds little and the third nothing. */
const maxPasses = 10;

/**
 * Makes all brokers seal with the next key, then reseals every secret that another key has sealed. It can be interrupted and
 * restarted at any time: both keys open secrets until it has finished.
 * @throws Error if a broker lacks the next key, or another rotation is not finished
 */
export async function rotateMasterKey(parts: RotateMasterKey): Promise<ResealedColumn[]> {
  const { db, keys, nextId, onProgress } = parts;
  await begin(parts);
  keys.sealWith(nextId);
  const problem = 'do not encrypt with the new key yet: run the command again';
  await waitForBrokers(db, problem, patienceMs, ({ sealingId }) => sealingId === nextId);
  const totals = new Map<string, ResealedColumn>();
  for (let pass = 1; pass <= maxPasses; pass++) {
    let resealed = 0;
    for (const column of encryptedColumns) {
      const found = await resealColumn(db.query, keys, column, (count) =>
        onProgress(`${column.table}: ${count} rewritten`),
      );
      const before = totals.get(found.name)?.resealed ?? 0;
      totals.set(found.name, { ...found, resealed: before + found.resealed });
      resealed += found.resealed;
    }
    if (resealed > 0) continue;
    await db.transaction((query) => finish(query, parts));
    return [...totals.values()];
  }
  throw new Error(
    'secrets are still written with the former key: restart every broker with both keys, then run the command again',
  );
}

/** Marks the rotation as finished, and audits that once. */
async function finish(query: Query, parts: RotateMasterKey): Promise<void> {
  const { affectedRows } = await query(
    'update master_keys set finished_at = clock_timestamp() where key_id = $1 and finished_at is null',
    [parts.nextId],
  );
  if (affectedRows > 0) await audit(query, 'key.rotated', parts);
}

/** Audits a step of the rotation, with the ids of the keys only. */
function audit(
  query: Query,
  action: 'key.rotation-begun' | 'key.rotated',
  { formerId, nextId, operator }: RotateMasterKey,
): Promise<void> {
  const details = { via: 'command', formerId, operator };
  return writeAuditWith(query, { actorId: undefined, action, subject: nextId, details }, new Date());
}

/** Records that the rotation has begun, once every broker has the next key. Continues an interrupted one. */
async function begin(parts: RotateMasterKey): Promise<void> {
  const { db, formerId, nextId } = parts;
  const known = await readRotation(db.query);
  if (known?.keyId === nextId) return;
  if (known && !known.isFinished)
    throw new Error(
      `a rotation to the key with the id ${known.keyId} is not finished: run the command with that key first`,
    );
  await waitForBrokers(
    db,
    `do not have the new key: set MASTER_KEY_NEXT (or MASTER_KEY_NEXT_FILE) at each of them to the key with the id ${nextId}, restart them one by one, then run the command again. A broker that was killed still counts for 12 s`,
    0,
    ({ keyIds }) => keyIds?.includes(nextId) === true,
  );
  await db.transaction(async (query) => {
    await query(
      `insert into master_keys (key_id, former_id) values ($1, $2)
       on conflict (only_row) do update set key_id = excluded.key_id, former_id = excluded.former_id,
         begun_at = clock_timestamp(), finished_at = null`,
      [nextId, formerId],
    );
    await audit(query, 'key.rotation-begun', parts);
    await query('select pg_notify($1, $2)', [masterKeyChannel, nextId]);
  });
}

type Broker = Awaited<ReturnType<Database['brokers']['list']>>[number];

/** Waits up to `waitMs` until all live brokers meet a condition. @throws Error that names the others */
async function waitForBrokers(
  { brokers }: Pick<Database, 'brokers'>,
  problem: string,
  waitMs: number,
  isReady: (broker: Broker) => boolean,
): Promise<void> {
  const untilMs = performance.now() + waitMs;
  for (;;) {
    const others = (await brokers.list()).filter((broker) => broker.isAlive && !isReady(broker));
    if (others.length === 0) return;
    if (performance.now() > untilMs)
      throw new Error(`${others.length} brokers (${others.map(({ id }) => id).join(', ')}) ${problem}`);
    await wait(pollMs);
  }
}
