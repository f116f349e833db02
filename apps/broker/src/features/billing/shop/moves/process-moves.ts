import { isRefusal } from '#adapters/stripe/stripe-client.ts';
import { isChangeUnderWay } from '../changes/purchase-locks.ts';
import type { ShopParts } from '../shop-parts.ts';
import { claimMove, decideItem, endMove, findDue, releaseMove, nextDue, type Move } from './move-store.ts';
import { moveSubscriber } from './move-subscriber.ts';

/** Parts of a worker on moves. `worker`: its id, by which the database knows which moves it has claimed. */
export type WorkerParts = Pick<ShopParts, 'db' | 'provider' | 'sync' | 'locks' | 'clock' | 'log'> & {
  worker: string;
  isStopped(): boolean;
};

/** Processes due moves that no other broker works on. @throws SoukError payments_unavailable: the next run continues */
export async function processMoves(parts: WorkerParts): Promise<void> {
  const { db, provider, clock, worker } = parts;
  for (const move of await findDue(db.query, provider.livemode, clock.now())) {
    if (parts.isStopped()) return;
    if (!(await claimMove(db.query, move.id, worker))) continue;
    try {
      await processMove(parts, move);
    } catch (error) {
      await releaseMove(db.query, move.id, worker);
      throw error;
    }
    await releaseMove(db.query, move.id, worker);
  }
}

async function processMove(parts: WorkerParts, move: Move): Promise<void> {
  const { db, clock, log } = parts;
  for (;;) {
    if (parts.isStopped() || !(await claimMove(db.query, move.id, parts.worker))) return;
    const id = await nextDue(db.query, move.id, clock.now());
    if (id === undefined) break;
    try {
      const outcome = await parts.locks.runFor(id, (lock) => moveSubscriber(parts, move, id, lock));
      await decideItem(db.query, move.id, id, outcome);
    } catch (error) {
      // the next run retries them
      if (isChangeUnderWay(error)) return;
      if (!isRefusal(error)) throw error;
      log.error({ err: error, subscription: id }, 'a subscriber could not be moved to another price');
      await decideItem(db.query, move.id, id, { status: 'failed', why: 'the payment provider refused' });
    }
  }
  await db.transaction(async (query) => {
    const { rows } = await query(`select from price_move_items where move_id = $1 and status = 'queued' limit 1`, [
      move.id,
    ]);
    if (rows.length === 0) await endMove(query, move, clock.now());
  });
}
