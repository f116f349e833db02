import type { OwnedStatus } from '@souk/contract/billing/billing.ts';
import { SoukError } from '#platform/errors.ts';
import { utcDayText } from '@souk/contract/utc-day.ts';
import { statusOf, type OwnedPlan, type OwnedServer } from '../../../entitlement/owned.ts';
import type { OwnedServerFacts } from '../../../entitlement/read-owned-servers.ts';
import type { PurchaseLock } from '../../changes/purchase-locks.ts';
import type { ShopParts } from '../../shop-parts.ts';
import { upgradeWasPaid } from '../drop-upgrade.ts';
import { findPlan, findRental, requireActive, requireCancelled, type Own } from '../find-own.ts';
import { endAtProvider } from './end-at-provider.ts';
import { canceledText, changed, endedText, notRenewed, resumedText, type Ending } from './end-texts.ts';
import { keptByPlan } from './kept-by-plan.ts';
import { setEnd } from './set-end.ts';

/**
 * Ends a user's paid plans and rentals with their period, and undoes that, by the provider's current state.
 * @param shown the status that the user saw
 * @throws SoukError, as the contract says
 */
export type EndOwn = {
  cancelRental(userId: string, serverId: string, shown?: OwnedStatus): Promise<Ending>;
  resumeRental(userId: string, serverId: string): Promise<Ending>;
  cancelPlan(userId: string, id: string, shown?: OwnedStatus): Promise<Ending>;
  resumePlan(userId: string, id: string): Promise<Ending>;
};

type EndParts = Pick<ShopParts, 'db' | 'provider' | 'access' | 'sync' | 'locks' | 'clock'> & {
  /** Reads undeployed servers too. */
  readServer(id: string): Promise<OwnedServerFacts>;
};

export function createEndOwn(parts: EndParts): EndOwn {
  const { clock, locks, readServer } = parts;
  const context = () => ({ ...parts, nowMs: clock.now() });
  return {
    async cancelRental(userId, serverId, shown) {
      const find = () => findRental(context(), userId, serverId);
      const seen = await find();
      const server = await readServer(serverId);
      const { name, isOffered } = server;
      const what = `The rental of ${name}`;
      return locks.run(userId, async (lock) => {
        const rental = await readNow(parts, find, lock, { seen, name: what, shown });
        // an unpaid rental may have been ended by a concurrent request for the same
        if (!rental && !seen.pastDue) throw changed(what, 'has ended in the meantime');
        const kept = await keptBesides(parts, userId, server);
        if (!rental || (await endUnpaid(parts, rental, lock))) return endedText(what, kept);
        if (!isOffered && rental.isCancelled) throw notRenewed(name);
        requireActive(rental, clock.now());
        await setEnd(parts, rental.providerSubscriptionId, true, lock);
        const { periodEndsAtMs } = await find();
        const ending = canceledText(what, periodEndsAtMs);
        if (!isOffered) return { ...ending, message: `${what} is canceled. ${notRenewed(name).message}` };
        const keptUntil = await keptBesides(parts, userId, server, periodEndsAtMs);
        if (keptUntil === undefined || ending.endsAt === null) return ending;
        const until = `The rental ends on ${utcDayText(ending.endsAt)}, and you can resume it until then.`;
        return { ...ending, message: `${what} is canceled. ${keptUntil} ${until}` };
      });
    },
    async resumeRental(userId, serverId) {
      const find = () => findRental(context(), userId, serverId);
      const seen = await find();
      const { name, isOffered } = await readServer(serverId);
      if (!isOffered) throw notRenewed(name);
      return resume(parts, userId, find, seen, `The rental of ${name}`);
    },
    async cancelPlan(userId, id, shown) {
      const find = () => findPlan(context(), userId, id);
      const seen = await find();
      const what = `The ${seen.name} plan`;
      return locks.run(userId, async (lock) => {
        const plan = await readNow(parts, find, lock, { seen, name: what, shown });
        if (!plan && !seen.pastDue) throw changed(what, 'has ended in the meantime');
        if (!plan || (await endUnpaid(parts, plan, lock))) return endedText(what);
        requireActive(plan, clock.now());
        await setEnd(parts, plan.providerSubscriptionId, true, lock);
        return canceledText(`The ${plan.name} plan`, (await find()).periodEndsAtMs);
      });
    },
    async resumePlan(userId, id) {
      const find = () => findPlan(context(), userId, id);
      const seen = await find();
      return resume(parts, userId, find, seen, `The ${seen.name} plan`);
    },
  };
}

function resume<Owned extends Own<OwnedPlan | OwnedServer>>(
  parts: EndParts,
  userId: string,
  find: () => Promise<Owned>,
  seen: Owned,
  what: string,
): Promise<Ending> {
  return parts.locks.run(userId, async (lock) => {
    const own = await readNow(parts, find, lock, { seen, name: what });
    if (!own) throw changed(what, 'has ended in the meantime');
    requireCancelled(own);
    await setEnd(parts, own.providerSubscriptionId, false, lock);
    return resumedText(what);
  });
}

/**
 * Refetches what is about to change from the provider. An end now and an end with the period differ for the user: nothing is
 * done if the status that they saw has changed in the meantime.
 * @param seen what was known before the wait for another change
 * @returns undefined where it has ended
 */
async function readNow<Owned extends Own<OwnedPlan | OwnedServer>>(
  { sync, clock }: EndParts,
  find: () => Promise<Owned>,
  lock: PurchaseLock,
  { seen, name, shown }: { seen: Owned; name: string; shown?: OwnedStatus | undefined },
): Promise<Owned | undefined> {
  const before = shown ?? statusOf(seen, clock.now());
  if ((await sync(seen.providerSubscriptionId, lock)) === 'changing') throw new SoukError('payments_unavailable');
  const now = await find().catch((error: unknown) => {
    if (error instanceof SoukError && error.code === 'not_found') return undefined;
    throw error;
  });
  if (!now) return undefined;
  if ('planId' in now && 'planId' in seen && now.planId !== seen.planId)
    throw seen.pending ? upgradeWasPaid() : changed(name, 'was changed in the meantime');
  const status = statusOf(now, clock.now());
  if (isUnpaid(before) && !isUnpaid(status)) throw changed(name, 'was paid in the meantime and continues');
  if (!isUnpaid(before) && isUnpaid(status))
    throw changed(name, 'could not be charged in the meantime, and would end immediately');
  return now;
}

const isUnpaid = (status: OwnedStatus): boolean => status === 'past_due' || status === 'unpaid';

/** Ends an unpaid subscription now, and stops its collection: users do not keep access to a month that they did not pay for. */
async function endUnpaid(parts: EndParts, own: Own<OwnedPlan | OwnedServer>, lock: PurchaseLock): Promise<boolean> {
  if (own.isCancelled || !own.pastDue) return false;
  await endAtProvider(parts, own.providerSubscriptionId, { lock, isUnpaid: true });
  return true;
}

async function keptBesides(
  { access, clock }: EndParts,
  userId: string,
  server: OwnedServerFacts,
  endsAtMs?: number,
): Promise<string | undefined> {
  return keptByPlan(server, await access.read(userId), { endsAtMs, nowMs: clock.now() });
}
