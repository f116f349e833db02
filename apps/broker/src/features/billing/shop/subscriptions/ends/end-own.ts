import { utcDayText } from '@souk/contract/utc-day.ts';
import type { PaymentProvider } from '#adapters/stripe/stripe-client.ts';
import type { Clock } from '#platform/clock.ts';
import type { Query } from '#platform/db/database.ts';
import { SoukError } from '#platform/errors.ts';
import type { AccessBook } from '../../../entitlement/create-access.ts';
import type { OwnedStatus } from '@souk/contract/billing/billing.ts';
import { statusOf, type OwnedPlan, type OwnedServer } from '../../../entitlement/owned.ts';
import type { OwnedServerFacts } from '../../../entitlement/read-owned-servers.ts';
import type { PurchaseLock, PurchaseLocks } from '../../changes/purchase-locks.ts';
import { paidAtThisMoment } from '../drop-upgrade.ts';
import { endAtProvider } from './end-at-provider.ts';
import { keptByPlan } from './kept-by-plan.ts';
import { findPlan, findRental, requireActive, requireCancelled, type Own } from '../find-own.ts';
import { setEnd } from './set-end.ts';
import type { SyncSubscription } from '../sync-subscription.ts';

/** What the person is told: `endsAt` null where it renews. */
export type Ending = { message: string; endsAt: string | null };

/**
 * Ends what a person pays for at the end of its period, and takes that back, by what the payment provider has at this moment.
 * @param shown the status that the person saw
 * @throws SoukError, as the contract says
 */
export type EndOwn = {
  cancelRental(userId: string, serverId: string, shown?: OwnedStatus): Promise<Ending>;
  resumeRental(userId: string, serverId: string): Promise<Ending>;
  cancelPlan(userId: string, id: string, shown?: OwnedStatus): Promise<Ending>;
  resumePlan(userId: string, id: string): Promise<Ending>;
};

export function createEndOwn(given: {
  query: Query;
  provider: PaymentProvider;
  access: Pick<AccessBook, 'read'>;
  sync: SyncSubscription;
  locks: PurchaseLocks;
  /** Also of one that was taken out of the shop. */
  readServer(id: string): Promise<OwnedServerFacts>;
  clock: Clock;
}): EndOwn {
  const { clock, locks, sync } = given;
  const context = () => ({ ...given, nowMs: clock.now() });

  const tell = (name: string, periodEndsAtMs: number | undefined): Ending => {
    const endsAt = periodEndsAtMs === undefined ? null : new Date(periodEndsAtMs).toISOString();
    const until = endsAt === null ? '' : ` You keep access until ${utcDayText(endsAt)} and can resume until then.`;
    return { message: `${name} is canceled.${until}`, endsAt };
  };
  const tellResumed = (name: string): Ending => ({ message: `${name} is resumed: it renews by itself.`, endsAt: null });

  /**
   * Reads what is about to change as the provider has it now. An end now and one with its period are not the same to a person: where
   * what they saw has changed meanwhile, nothing is done.
   * @param seen what was known before another change was waited for
   * @returns undefined where it is over by now
   */
  async function readNow<Owned extends Own<OwnedPlan | OwnedServer>>(
    find: () => Promise<Owned>,
    lock: PurchaseLock,
    { seen, name, shown }: { seen: Owned; name: string; shown?: OwnedStatus | undefined },
  ): Promise<Owned | undefined> {
    const before = shown ?? statusOf(seen, clock.now());
    if ((await sync(seen.paymentId, lock)) === 'unsettled') throw new SoukError('payments_unavailable');
    const now = await find().catch((error: unknown) => {
      if (error instanceof SoukError && error.code === 'not_found') return undefined;
      throw error;
    });
    if (!now) return undefined;
    if ('planId' in now && 'planId' in seen && now.planId !== seen.planId)
      throw seen.pending ? paidAtThisMoment() : changed(name, 'was changed meanwhile');
    const status = statusOf(now, clock.now());
    if (isUnpaid(before) && !isUnpaid(status)) throw changed(name, 'was paid meanwhile and goes on');
    if (!isUnpaid(before) && isUnpaid(status))
      throw changed(name, 'could not be charged meanwhile, and would end at once');
    return now;
  }

  const tellEnded = (name: string, kept?: string): Ending => {
    const ended = kept === undefined ? 'access' : 'it';
    const told = `Its last payment failed, so ${ended} has ended and nothing more is charged.`;
    return { message: [`${name} is canceled.`, told, kept].filter(Boolean).join(' '), endsAt: null };
  };

  /** What was not paid ends now, and nothing more is collected for it: nobody keeps access to a month that they did not pay. */
  async function endUnpaid(own: Own<OwnedPlan | OwnedServer>, lock: PurchaseLock): Promise<boolean> {
    if (own.isCancelled || !own.pastDue) return false;
    await endAtProvider(given, own.paymentId, { lock, isUnpaid: true });
    return true;
  }

  async function keptBesides(userId: string, server: OwnedServerFacts, endsAtMs?: number): Promise<string | undefined> {
    return keptByPlan(server, await given.access.read(userId), { endsAtMs, nowMs: clock.now() });
  }

  return {
    async cancelRental(userId, serverId, shown) {
      const find = () => findRental(context(), userId, serverId);
      const seen = await find();
      const server = await given.readServer(serverId);
      const { name, isOffered } = server;
      const what = `The rental of ${name}`;
      return locks.run(userId, async (lock) => {
        const rental = await readNow(find, lock, { seen, name: what, shown });
        // who wanted it to end now, and comes second
        if (!rental && !seen.pastDue) throw changed(what, 'has ended meanwhile');
        const kept = await keptBesides(userId, server);
        if (!rental || (await endUnpaid(rental, lock))) return tellEnded(what, kept);
        if (!isOffered && rental.isCancelled) throw notRenewed(name);
        requireActive(rental, clock.now());
        await setEnd(given, rental.paymentId, true, lock);
        const { periodEndsAtMs } = await find();
        const told = tell(what, periodEndsAtMs);
        if (!isOffered) return { ...told, message: `${what} is canceled. ${notRenewed(name).message}` };
        const keptUntil = await keptBesides(userId, server, periodEndsAtMs);
        if (keptUntil === undefined || told.endsAt === null) return told;
        const until = `The rental ends on ${utcDayText(told.endsAt)}, and you can resume it until then.`;
        return { ...told, message: `${what} is canceled. ${keptUntil} ${until}` };
      });
    },
    async resumeRental(userId, serverId) {
      const find = () => findRental(context(), userId, serverId);
      const seen = await find();
      const { name, isOffered } = await given.readServer(serverId);
      const what = `The rental of ${name}`;
      if (!isOffered) throw notRenewed(name);
      return locks.run(userId, async (lock) => {
        const rental = await readNow(find, lock, { seen, name: what });
        if (!rental) throw changed(what, 'has ended meanwhile');
        requireCancelled(rental);
        await setEnd(given, rental.paymentId, false, lock);
        return tellResumed(what);
      });
    },
    async cancelPlan(userId, id, shown) {
      const find = () => findPlan(context(), userId, id);
      const seen = await find();
      const what = `The ${seen.name} plan`;
      return locks.run(userId, async (lock) => {
        const plan = await readNow(find, lock, { seen, name: what, shown });
        if (!plan && !seen.pastDue) throw changed(what, 'has ended meanwhile');
        if (!plan || (await endUnpaid(plan, lock))) return tellEnded(what);
        requireActive(plan, clock.now());
        await setEnd(given, plan.paymentId, true, lock);
        return tell(`The ${plan.name} plan`, (await find()).periodEndsAtMs);
      });
    },
    async resumePlan(userId, id) {
      const find = () => findPlan(context(), userId, id);
      const seen = await find();
      const what = `The ${seen.name} plan`;
      return locks.run(userId, async (lock) => {
        const plan = await readNow(find, lock, { seen, name: what });
        if (!plan) throw changed(what, 'has ended meanwhile');
        requireCancelled(plan);
        await setEnd(given, plan.paymentId, false, lock);
        return tellResumed(what);
      });
    },
  };
}

const isUnpaid = (status: OwnedStatus): boolean => status === 'past_due' || status === 'unpaid';

const changed = (name: string, how: string) =>
  new SoukError('not_active', { message: `${name} ${how}. Nothing was changed. Please look at it again.` });

/** Also where the job that lets it end with its period has not come to it yet. */
const notRenewed = (name: string) =>
  new SoukError('not_active', { message: `${name} is no longer offered: its rental is not renewed.` });
