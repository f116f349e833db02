import type { MovePreview } from '@souk/contract/admin/offers.ts';
import { isRefusal, type PaymentProvider } from '#adapters/stripe/stripe-client.ts';
import type { DecidedBy } from '#platform/audit/decided-by.ts';
import { createBackground } from '#platform/work/background.ts';
import type { Clock } from '#platform/clock.ts';
import type { Database, Query } from '#platform/db/database.ts';
import { SoukError } from '#platform/errors.ts';
import type { Log } from '#platform/log.ts';
import { isChangeUnderWay, type PurchaseLocks } from '../changes/purchase-locks.ts';
import { findStoredOffer } from '../offers/offer-rows.ts';
import type { Prices } from '../prices/create-prices.ts';
import type { SyncSubscription } from '../subscriptions/sync-subscription.ts';
import { beginMove } from './begin-move.ts';
import { claimMove, decideItem, endMove, findDue, leaveMove, nextItem, type Move } from './move-store.ts';
import { moveSubscriber } from './move-subscriber.ts';
import { previewMove, type MoveTarget } from './preview-move.ts';

/** Moves of subscribers to the price that their plan has today. */
export type Moves = {
  /** @throws SoukError not_found, invalid_request for what is no plan with a price */
  preview(planId: string): Promise<MovePreview>;
  /** Notes the move, and works it off in the background. Answers its id. @throws SoukError changed_since_shown, payments_unavailable */
  begin(
    planId: string,
    shown: { movable: number; amount: number; monthlyCredits: number },
    by: DecidedBy,
  ): Promise<string>;
  /**
   * Works off what is due, of moves that no other broker works on.
   * @throws SoukError payments_unavailable: the next run goes on
   */
  workOff(): Promise<void>;
  stop(): Promise<void>;
};

export function createMoves(parts: {
  db: Database;
  provider: PaymentProvider;
  prices: Pick<Prices, 'priceOf' | 'put'>;
  sync: SyncSubscription;
  locks: PurchaseLocks;
  uuid: () => string;
  clock: Clock;
  log: Log;
}): Moves {
  const { db, provider, clock, log } = parts;
  const { livemode } = provider;
  const worker = parts.uuid();
  const background = createBackground(log);
  let isStopped = false;
  let running: Promise<void> | undefined;

  async function targetOf(query: Query, planId: string): Promise<MoveTarget> {
    const offer = await findStoredOffer(query, planId);
    if (!offer) throw new SoukError('not_found', { message: `There is no offer ${planId}` });
    const { fields } = offer;
    if (fields.kind !== 'plan' || fields.amount === 0)
      throw new SoukError('invalid_request', { message: `${fields.name} has no subscribers who pay.` });
    if (!offer.active)
      throw new SoukError('invalid_request', { message: `${fields.name} is archived. Bring it back first.` });
    const { name, amount, currency, monthlyCredits } = fields;
    return { planId, name, amount, currency, monthlyCredits };
  }

  /** The provider has the price that is offered, or is given it first. */
  async function priceIdOf({ planId, amount, currency, monthlyCredits }: MoveTarget): Promise<string> {
    const { rows } = await db.query<{ price_id: string }>(
      `select price_id from provider_prices where livemode = $1 and kind = 'plan' and offer_id = $2 and amount = $3
         and currency = $4 and monthly_credits = $5`,
      [livemode, planId, amount, currency, monthlyCredits],
    );
    const [known] = rows;
    if (!known)
      throw new SoukError('payments_unavailable', {
        message: 'The payment provider does not have the new price yet. Try again in a moment.',
      });
    return known.price_id;
  }

  async function workOff(): Promise<void> {
    for (const move of await findDue(db.query, livemode, clock.now())) {
      if (isStopped) return;
      if (!(await claimMove(db.query, move.id, worker))) continue;
      try {
        await workOn(move);
      } catch (error) {
        await leaveMove(db.query, move.id, worker);
        throw error;
      }
      await leaveMove(db.query, move.id, worker);
    }
  }

  async function workOn(move: Move): Promise<void> {
    for (;;) {
      if (isStopped || !(await claimMove(db.query, move.id, worker))) return;
      const item = await nextItem(db.query, move.id, clock.now());
      if (!item) break;
      try {
        const given = { provider, sync: parts.sync, now: clock.now };
        const outcome = await parts.locks.runFor(item.paymentId, (lock) => moveSubscriber(given, move, item, lock));
        await decideItem(db.query, move.id, item.paymentId, outcome);
      } catch (error) {
        // the next run comes back to them
        if (isChangeUnderWay(error)) return;
        if (!isRefusal(error)) throw error;
        log.error({ err: error, subscription: item.paymentId }, 'a subscriber could not be moved to another price');
        await decideItem(db.query, move.id, item.paymentId, { status: 'failed', why: 'the payment provider refused' });
      }
    }
    await db.transaction(async (query) => {
      const { rows } = await query(`select from price_move_items where move_id = $1 and status = 'queued' limit 1`, [
        move.id,
      ]);
      if (rows.length === 0) await endMove(query, move, clock.now());
    });
  }

  /** One run at a time here. */
  function runOnce(): Promise<void> {
    running ??= workOff().finally(() => (running = undefined));
    return running;
  }

  return {
    preview: async (planId) => previewMove(db.query, livemode, await targetOf(db.query, planId), clock.now()),
    async begin(planId, shown, by) {
      const target = await targetOf(db.query, planId);
      const priceId = await priceIdOf(target);
      const id = parts.uuid();
      await db.transaction((query) =>
        beginMove(query, {
          id,
          livemode,
          shown,
          nowMs: clock.now(),
          by,
          async find(within) {
            const now = await targetOf(within, planId);
            const isSame = (['amount', 'currency', 'monthlyCredits'] as const).every(
              (name) => now[name] === target[name],
            );
            if (!isSame)
              throw new SoukError('changed_since_shown', {
                message: `${now.name} changed meanwhile. Nothing was done. Look at it again.`,
              });
            return { ...now, priceId };
          },
        }),
      );
      background.add(runOnce(), 'subscribers could not be moved to another price yet; it is tried again');
      return id;
    },
    async workOff() {
      await running?.catch(() => {});
      await runOnce();
    },
    async stop() {
      isStopped = true;
      await background.flush();
      await running?.catch(() => {});
    },
  };
}
