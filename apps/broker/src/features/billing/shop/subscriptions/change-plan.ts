import type { Stripe } from 'stripe';
import type { z } from 'zod';
import type { Plan } from '@souk/contract/billing/billing.ts';
import type { planChangeSchema } from '@souk/contract/billing/payments.ts';
import { tiers } from '@souk/contract/tiers.ts';
import { moneyText } from '@souk/contract/billing/currencies.ts';
import { utcDayText } from '@souk/contract/utc-day.ts';
import { isRefusal, makeOnce, needsOwner, type PaymentProvider } from '#adapters/stripe/stripe-client.ts';
import type { CatalogueServer } from '#features/catalogue/index.ts';
import type { Clock } from '#platform/clock.ts';
import type { Query } from '#platform/db/database.ts';
import { SoukError } from '#platform/errors.ts';
import type { AccessBook } from '../../entitlement/create-access.ts';
import type { OwnedPlan } from '../../entitlement/owned.ts';
import { changeName, decideChange, dropChange, findChange, findSameChange } from '../changes/plan-change-store.ts';
import type { PurchaseLock, PurchaseLocks } from '../changes/purchase-locks.ts';
import type { OfferStore } from '../offers/offer-store.ts';
import { offeredPlan } from '../prices/offered.ts';
import { creditsOfPeriod } from '../moves/credits-of-period.ts';
import { endRentalsWithPlan, type ChosenRentals } from '../overlap/end-with-plan.ts';
import type { Prices } from '../prices/create-prices.ts';
import { findPlan, requireActive, type Own } from './find-own.ts';
import { totalsOfInvoice } from './reading/read-next-invoice.ts';
import { isPaidAsPriced } from './reading/is-paid-as-priced.ts';
import { readSubscription, type ProviderSubscription } from './reading/read-subscription.ts';
import { readPlan } from './subscription-store.ts';
import type { SyncSubscription } from './sync-subscription.ts';

/** How long a preview's amount can be paid. */
const previewSeconds = 15 * 60;

export type PlanChange = z.infer<typeof planChangeSchema>;
export type ChangePlan = (
  userId: string,
  id: string,
  wanted: ChosenRentals & {
    planId: string;
    preview: boolean;
    prorationDate?: number | undefined;
    shown?: Pick<PlanChange, 'amountDue' | 'nextAmount'> | undefined;
  },
) => Promise<{ message: string; change: PlanChange; paymentUrl: string | null }>;

/**
 * Changes the plan of a subscription. A higher one begins at once, and only if the difference is paid; a lower one begins with
 * the next period. The current plan, where another one was chosen for the next period, takes that choice back. A payment that
 * the owner of the card has to confirm is made on a page of the provider, and the higher plan begins then.
 *
 * It is decided by what the provider has at this moment, and written down (plan_changes) before the provider hears of it: what the
 * provider takes is what the person saw, or it goes back.
 * @throws SoukError, as the contract says
 */
export function createChangePlan(given: {
  query: Query;
  provider: PaymentProvider;
  access: Pick<AccessBook, 'read'>;
  offers: Pick<OfferStore, 'plans'>;
  prices: Pick<Prices, 'planPriceId' | 'put'>;
  sync: SyncSubscription;
  locks: PurchaseLocks;
  findServer(id: string): CatalogueServer | undefined;
  uuid: () => string;
  clock: Clock;
}): ChangePlan {
  const { query, provider, prices, sync, clock } = given;

  const findOffer = async (planId: string) => (await given.offers.plans()).find((one) => one.planId === planId);

  async function findTarget(planId: string): Promise<Plan & { wantedPriceId: string }> {
    const plan = await findOffer(planId);
    if (!plan) throw new SoukError('plan_not_found', { message: `There is no plan ${planId}` });
    const offered = offeredPlan(plan);
    if (!offered)
      throw new SoukError('invalid_request', { message: 'Cancel the subscription to go to the free plan.' });
    return { ...plan, wantedPriceId: prices.planPriceId(plan) ?? (await prices.put(offered)).priceId };
  }

  async function judge(own: Own<OwnedPlan>, target: Plan): Promise<'upgrade' | 'downgrade' | 'keep'> {
    requireActive(own, clock.now());
    if (own.planId === target.planId) {
      if (own.nextPlanId === undefined)
        throw new SoukError('invalid_request', { message: `You have the ${target.name} plan already.` });
      return 'keep';
    }
    const isHigher = tiers[target.tier].level > tiers[own.tier].level;
    // the difference would be counted from the price of the plan that was chosen for the next period
    if (isHigher && own.nextPlanId !== undefined)
      throw new SoukError('invalid_request', {
        message: `You chose ${(await findOffer(own.nextPlanId))?.name ?? own.nextPlanId} for the next period. Keep ${own.name} first, then upgrade.`,
      });
    return isHigher ? 'upgrade' : 'downgrade';
  }

  /** What a change would do now, as the provider has the subscription. */
  async function look(
    userId: string,
    id: string,
    target: Plan & { wantedPriceId: string },
    { prorationDate, lock }: { prorationDate: number | undefined; lock?: PurchaseLock },
  ): Promise<Looked> {
    const find = () => findPlan({ ...given, nowMs: clock.now() }, userId, id);
    const { paymentId } = await find();
    if ((await sync(paymentId, lock)) === 'unsettled') throw new SoukError('payments_unavailable');
    const read = await readSubscription(provider, paymentId);
    if (!read || read === 'missing' || read.endedAt)
      throw new SoukError('not_active', { message: 'This subscription is over.' });
    const own = await find();
    const same = await findSame(paymentId, target, prorationDate);
    const kind = same ? 'upgrade' : await judge(own, target);
    const items = [{ id: read.itemId, price: target.wantedPriceId }];
    // Else a higher plan begins with the next period. A debit is decided days later, and no change can wait for it.
    const isNow =
      same !== undefined ||
      (kind === 'upgrade' && !read.isDebited && (await isPaidAsPriced(query, paymentId, new Date(clock.now()))));
    const proration = isNow
      ? {
          proration_behavior: 'always_invoice' as const,
          proration_date: prorationDateOf(read, clock.now(), prorationDate),
        }
      : { proration_behavior: 'none' as const };
    const due = same
      ? { amount: same.amountDue, tax: 0 }
      : isNow
        ? await priceOf(paymentId, { items, ...proration })
        : { amount: 0, tax: 0 };
    const change: PlanChange = {
      planId: target.planId,
      kind: kind === 'downgrade' ? 'downgrade' : 'upgrade',
      amountDue: due.amount,
      ...(due.tax > 0 && { taxDue: due.tax }),
      nextAmount: target.amount,
      ...(read.isTaxed && { plusTax: true as const }),
      ...(read.isDiscounted && { lessDiscount: true as const }),
      creditsNow:
        proration.proration_date === undefined ? 0 : await creditsNow(own, target, read, proration.proration_date),
      nextCredits: target.monthlyCredits,
      currency: target.currency,
      at: (isNow || kind === 'keep' ? new Date(clock.now()) : read.periodEndsAt).toISOString(),
      prorationDate: proration.proration_date ?? null,
      paymentMethod: read.ownMethod ?? null,
    };
    return { own, read, kind, isNow, isMade: same !== undefined, update: { items, ...proration }, change };
  }

  /** The same click once more, of which the answer was lost: it is made already. */
  async function findSame(paymentId: string, target: { wantedPriceId: string }, prorationDate: number | undefined) {
    if (prorationDate === undefined) return undefined;
    const same = await findSameChange(query, { paymentId, priceId: target.wantedPriceId, prorationDate });
    return same?.state === 'done' ? same : undefined;
  }

  async function make(
    userId: string,
    target: Plan & { wantedPriceId: string },
    looked: Looked,
    lock: PurchaseLock,
  ): Promise<{ paymentUrl: string | null }> {
    const { own, read, update, change, isNow } = looked;
    const { livemode } = provider;
    const id = given.uuid();
    await decideChange(query, {
      id,
      userId,
      livemode,
      paymentId: own.paymentId,
      fromPriceId: read.priceId,
      priceId: target.wantedPriceId,
      amountDue: change.amountDue,
      prorationDate: change.prorationDate ?? undefined,
      at: new Date(clock.now()),
    });
    const send = (payment_behavior?: 'error_if_incomplete' | 'pending_if_incomplete') =>
      makeOnce(
        provider,
        `change:${id}:${payment_behavior ?? 'later'}`,
        (stripe, idempotencyKey) =>
          stripe.subscriptions.update(
            own.paymentId,
            {
              ...update,
              ...(payment_behavior && { payment_behavior }),
              metadata: { [changeName]: id },
              expand: ['latest_invoice'],
            },
            { idempotencyKey },
          ),
        async () => {
          const found = await provider.find((stripe) =>
            stripe.subscriptions.retrieve(own.paymentId, { expand: ['latest_invoice'] }),
          );
          return found?.metadata[changeName] === id ? found : undefined;
        },
      );
    try {
      await lock.confirm();
      const paymentUrl = isNow ? await payNowOrLater(send) : await send().then(() => undefined);
      await sync(own.paymentId, lock);
      if (paymentUrl !== undefined) return { paymentUrl };
    } catch (error) {
      // nothing was changed there
      if (isRefusal(error)) await dropChange(query, id);
      await sync(own.paymentId, lock).catch(() => {});
      // its answer alone may be lost
      if ((await findChange(query, id))?.state !== 'done') throw error;
    }
    const decided = await findChange(query, id);
    // the provider took another amount, which goes back: something changed between our reading and its work
    if (decided?.state === 'dropped') throw new SoukError('price_changed');
    return { paymentUrl: null };
  }

  async function change(
    userId: string,
    id: string,
    { planId, prorationDate, shown, ...chosen }: Parameters<ChangePlan>[2],
    lock: PurchaseLock,
  ): ReturnType<ChangePlan> {
    const target = await findTarget(planId);
    const looked = await look(userId, id, target, { prorationDate, lock });
    const { change: now, kind, isNow, read } = looked;
    if (shown && (shown.amountDue !== now.amountDue || shown.nextAmount !== now.nextAmount)) throw priceChanged(now);
    const told = () => tell(kind === 'upgrade' && !isNow ? 'downgrade' : kind, target.name, now.at);
    if (looked.isMade) return { message: told(), change: now, paymentUrl: null };
    const person = { userId, livemode: provider.livemode };
    const offered = { findServer: given.findServer, nowMs: clock.now() };
    await endRentalsWithPlan(query, offered, person, target, chosen);
    if (isNow && read.awaited?.priceId === target.wantedPriceId)
      return toConfirm(target.name, now, read.awaited.paymentUrl);
    const { paymentUrl } = await make(userId, target, looked, lock);
    if (paymentUrl !== null) return toConfirm(target.name, now, paymentUrl);
    return { message: told(), change: now, paymentUrl: null };
  }

  return async (userId, id, wanted) => {
    if (!wanted.preview) return given.locks.run(userId, (lock) => change(userId, id, wanted, lock));
    const target = await findTarget(wanted.planId);
    const looked = await look(userId, id, target, { prorationDate: wanted.prorationDate });
    return { message: 'Nothing is changed yet.', change: looked.change, paymentUrl: null };
  };

  /** As they are given when the invoice of the change is paid (record-subscription.ts). */
  async function creditsNow(
    own: Own<OwnedPlan>,
    target: Plan,
    read: ProviderSubscription,
    from: number,
  ): Promise<number> {
    const current = await readPlan(query, own.planId);
    const had = await creditsOfPeriod(query, own.paymentId, read.priceId, new Date(from * 1000));
    const currentCredits = had ?? current?.monthlyCredits ?? 0;
    const [startsMs, endsMs] = [read.periodStartsAt.getTime(), read.periodEndsAt.getTime()];
    const share = (endsMs - from * 1000) / (endsMs - startsMs);
    return Math.max(0, Math.ceil((target.monthlyCredits - currentCredits) * share));
  }

  async function priceOf(
    subscription: string,
    details: Stripe.InvoiceCreatePreviewParams.SubscriptionDetails,
  ): Promise<{ amount: number; tax: number }> {
    const invoice = await provider.call((stripe) =>
      stripe.invoices.createPreview({ subscription, subscription_details: details }),
    );
    const { amount_due: amount } = invoice;
    return { amount, tax: Math.min(amount, totalsOfInvoice(invoice).tax) };
  }
}

/** A change, and what it is decided by. */
type Looked = {
  own: Own<OwnedPlan>;
  read: ProviderSubscription;
  kind: 'upgrade' | 'downgrade' | 'keep';
  /** It is paid and begins now. */
  isNow: boolean;
  /** It was made by the same click before. */
  isMade: boolean;
  update: Pick<Stripe.SubscriptionUpdateParams, 'proration_behavior' | 'proration_date'> & {
    items: { id: string; price: string }[];
  };
  change: PlanChange;
};

/** The person is asked again, with what it costs now. */
function priceChanged({ amountDue, nextAmount, currency }: PlanChange): SoukError {
  const now = amountDue === 0 ? 'nothing' : moneyText(amountDue, currency);
  const message = `The price has changed: ${now} now, then ${moneyText(nextAmount, currency)} a month. Please confirm it again.`;
  return new SoukError('price_changed', { message, price: { amountDue, nextAmount, currency } });
}

/**
 * Charges an upgrade. Where the owner of the card has to confirm it, nothing is changed until they have.
 * @returns where they do; undefined: it is paid
 */
async function payNowOrLater(
  update: (behavior: 'error_if_incomplete' | 'pending_if_incomplete') => Promise<Stripe.Subscription>,
): Promise<string | undefined> {
  try {
    await update('error_if_incomplete');
    return undefined;
  } catch (error) {
    if (!needsOwner(error)) throw error;
  }
  const { latest_invoice: invoice } = await update('pending_if_incomplete');
  if (typeof invoice !== 'object' || invoice?.status !== 'open') return undefined;
  return invoice.hosted_invoice_url ?? undefined;
}

/**
 * The second for which a difference is reckoned: that of the preview, so that a person pays what they saw.
 * @throws SoukError price_changed where that was too long ago or in another period, invalid_request where it is yet to come
 */
function prorationDateOf(read: ProviderSubscription, nowMs: number, previewed: number | undefined): number {
  const seconds = (ms: number) => Math.floor(ms / 1000);
  const [from, until] = [seconds(read.periodStartsAt.getTime()), seconds(read.periodEndsAt.getTime())];
  const now = Math.min(until, Math.max(from, seconds(nowMs)));
  if (previewed === undefined) return now;
  if (previewed > now) throw new SoukError('invalid_request', { message: 'prorationDate: is yet to come' });
  if (previewed < from || previewed < now - previewSeconds) throw new SoukError('price_changed');
  return previewed;
}

const toConfirm = (name: string, change: PlanChange, paymentUrl: string) => ({
  message: `Your bank asks you to confirm the payment. The ${name} plan begins once it is paid.`,
  change,
  paymentUrl,
});

function tell(kind: 'upgrade' | 'downgrade' | 'keep', name: string, at: string): string {
  if (kind === 'upgrade') return `You are on the ${name} plan now.`;
  if (kind === 'keep') return `You keep the ${name} plan.`;
  return `The ${name} plan begins on ${utcDayText(at)}.`;
}
