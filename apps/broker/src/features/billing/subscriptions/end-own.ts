import type { PaymentProvider } from '#adapters/stripe/stripe-client.ts';
import type { Clock } from '#platform/clock.ts';
import type { Query } from '#platform/db/database.ts';
import { SoukError } from '#platform/errors.ts';
import type { AccessBook } from '../access/create-access.ts';
import type { OwnedPlan, OwnedServer } from '../access/owned.ts';
import type { OwnedServerFacts } from '../access/read-owned-servers.ts';
import { endAtProvider } from './end-at-provider.ts';
import { keptByPlan } from './kept-by-plan.ts';
import { findPlan, findRental, requireActive, requireCancelled, type Own } from './find-own.ts';
import { setEnd } from './set-end.ts';
import type { SyncSubscription } from './sync-subscription.ts';

/** What the person is told: `endsAt` null where it renews. */
export type Ending = { message: string; endsAt: string | null };

/** Ends what a person pays for at the end of its period, and takes that back. @throws SoukError, as the contract says */
export type EndOwn = {
  cancelRental(userId: string, serverId: string): Promise<Ending>;
  resumeRental(userId: string, serverId: string): Promise<Ending>;
  cancelPlan(userId: string, id: string): Promise<Ending>;
  resumePlan(userId: string, id: string): Promise<Ending>;
};

export function createEndOwn(given: {
  query: Query;
  provider: PaymentProvider;
  access: Pick<AccessBook, 'read'>;
  sync: SyncSubscription;
  /** Also of one that was taken out of the shop. */
  readServer(id: string): Promise<OwnedServerFacts>;
  clock: Clock;
}): EndOwn {
  const { clock } = given;
  const context = () => ({ ...given, nowMs: clock.now() });

  const tell = (name: string, periodEndsAtMs: number | undefined): Ending => {
    const endsAt = periodEndsAtMs === undefined ? null : new Date(periodEndsAtMs).toISOString();
    const until = endsAt === null ? '' : ` You keep access until ${endsAt.slice(0, 10)} and can resume until then.`;
    return { message: `${name} is canceled.${until}`, endsAt };
  };
  const tellResumed = (name: string): Ending => ({ message: `${name} is resumed: it renews by itself.`, endsAt: null });

  /** What was not paid ends now, and nothing more is collected for it: nobody keeps access to a month that they did not pay. */
  async function endUnpaid(
    own: Own<OwnedPlan | OwnedServer>,
    name: string,
    kept?: string,
  ): Promise<Ending | undefined> {
    if (own.isCancelled || !own.pastDue) return undefined;
    await endAtProvider(given, own.paymentId);
    const ended = kept === undefined ? 'access' : 'it';
    const told = `Its last payment failed, so ${ended} has ended and nothing more is charged.`;
    return { message: [`${name} is canceled.`, told, kept].filter(Boolean).join(' '), endsAt: null };
  }

  async function keptBesides(userId: string, server: OwnedServerFacts, endsAtMs?: number): Promise<string | undefined> {
    return keptByPlan(server, await given.access.read(userId), { endsAtMs, nowMs: clock.now() });
  }

  return {
    async cancelRental(userId, serverId) {
      const rental = await findRental(context(), userId, serverId);
      const server = await given.readServer(serverId);
      const { name, isOffered } = server;
      const what = `The rental of ${name}`;
      const ended = await endUnpaid(rental, what, await keptBesides(userId, server));
      if (ended) return ended;
      if (!isOffered && rental.isCancelled) throw notRenewed(name);
      requireActive(rental, clock.now());
      await setEnd(given, rental.paymentId, true);
      const { periodEndsAtMs } = await findRental(context(), userId, serverId);
      const told = tell(what, periodEndsAtMs);
      if (!isOffered) return { ...told, message: `${what} is canceled. ${notRenewed(name).message}` };
      const kept = await keptBesides(userId, server, periodEndsAtMs);
      if (kept === undefined || told.endsAt === null) return told;
      const until = `The rental ends on ${told.endsAt.slice(0, 10)}, and you can resume it until then.`;
      return { ...told, message: `${what} is canceled. ${kept} ${until}` };
    },
    async resumeRental(userId, serverId) {
      const rental = await findRental(context(), userId, serverId);
      const { name, isOffered } = await given.readServer(serverId);
      if (!isOffered) throw notRenewed(name);
      requireCancelled(rental);
      await setEnd(given, rental.paymentId, false);
      return tellResumed(`The rental of ${name}`);
    },
    async cancelPlan(userId, id) {
      const plan = await findPlan(context(), userId, id);
      const ended = await endUnpaid(plan, `The ${plan.name} plan`);
      if (ended) return ended;
      requireActive(plan, clock.now());
      await setEnd(given, plan.paymentId, true);
      const { periodEndsAtMs } = await findPlan(context(), userId, id);
      return tell(`The ${plan.name} plan`, periodEndsAtMs);
    },
    async resumePlan(userId, id) {
      const plan = await findPlan(context(), userId, id);
      requireCancelled(plan);
      await setEnd(given, plan.paymentId, false);
      return tellResumed(`The ${plan.name} plan`);
    },
  };
}

/** Also where the job that lets it end with its period has not come to it yet. */
const notRenewed = (name: string) =>
  new SoukError('not_active', { message: `${name} is no longer offered: its rental is not renewed.` });
