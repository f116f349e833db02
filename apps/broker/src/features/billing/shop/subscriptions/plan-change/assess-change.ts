import type { Plan } from '@souk/contract/billing/billing.ts';
import { tiers } from '@souk/contract/tiers.ts';
import { SoukError } from '#platform/errors.ts';
import type { OwnedPlan } from '../../../entitlement/owned.ts';
import { findSameChange } from '../../changes/plan-change-store.ts';
import type { PurchaseLock } from '../../changes/purchase-locks.ts';
import { readPlan } from '../../offers/offer-rows.ts';
import { offeredPlan } from '../../prices/offered.ts';
import { creditsOfPeriod } from '../../prices/plan-prices.ts';
import { findPlan, requireActive, type Own } from '../find-own.ts';
import { isPaidAsPriced } from '../reading/is-paid-as-priced.ts';
import { totalsOfInvoice } from '../reading/read-next-invoice.ts';
import { readSubscription, type ProviderSubscription } from '../reading/read-subscription.ts';
import type { ChangeParts, PlannedChange, Target } from './planned-change.ts';

/** How long a preview's amount can be paid. */
const previewSeconds = 15 * 60;

const findOffer = async ({ offers }: ChangeParts, planId: string): Promise<Plan | undefined> =>
  (await offers.plans()).find((one) => one.planId === planId);

/** @throws SoukError plan_not_found, invalid_request for the free plan, payments_unavailable */
export async function findTarget(parts: ChangeParts, planId: string): Promise<Target> {
  const plan = await findOffer(parts, planId);
  if (!plan) throw new SoukError('plan_not_found', { message: `There is no plan ${planId}` });
  const offered = offeredPlan(plan);
  if (!offered) throw new SoukError('invalid_request', { message: 'Cancel the subscription to go to the free plan.' });
  return { ...plan, wantedPriceId: parts.prices.planPriceId(plan) ?? (await parts.prices.put(offered)).priceId };
}

/** Assesses a change by the provider's current state of the subscription: its effect, and what it costs now. */
export async function assessChange(
  parts: ChangeParts,
  userId: string,
  id: string,
  target: Target,
  { prorationDate, lock }: { prorationDate: number | undefined; lock?: PurchaseLock },
): Promise<PlannedChange> {
  const { db, provider, clock } = parts;
  const find = () => findPlan({ ...parts, nowMs: clock.now() }, userId, id);
  const { providerSubscriptionId } = await find();
  if ((await parts.sync(providerSubscriptionId, lock)) === 'changing') throw new SoukError('payments_unavailable');
  const read = await readSubscription(provider, providerSubscriptionId);
  if (!read || read === 'missing' || read.endedAt)
    throw new SoukError('not_active', { message: 'This subscription is over.' });
  const own = await find();
  const same = await findSame(parts, providerSubscriptionId, target, prorationDate);
  const kind = same ? 'upgrade' : await judge(parts, own, target);
  const items = [{ id: read.itemId, price: target.wantedPriceId }];
  // otherwise a higher plan starts with the next period: the outcome of a debit takes days, and no change can wait for it
  const isNow =
    same !== undefined ||
    (kind === 'upgrade' &&
      !read.isDebited &&
      (await isPaidAsPriced(db.query, providerSubscriptionId, new Date(clock.now()))));
  const prorated = isNow ? prorationDateOf(read, clock.now(), prorationDate) : undefined;
  const update = {
    items,
    ...(prorated === undefined
      ? { proration_behavior: 'none' as const }
      : { proration_behavior: 'always_invoice' as const, proration_date: prorated }),
  };
  const due = await dueOf(parts, providerSubscriptionId, same, isNow ? update : undefined);
  const change = {
    planId: target.planId,
    kind: kind === 'downgrade' ? ('downgrade' as const) : ('upgrade' as const),
    amountDue: due.amount,
    ...(due.tax > 0 && { taxDue: due.tax }),
    nextAmount: target.amount,
    ...(read.isTaxed && { plusTax: true as const }),
    ...(read.isDiscounted && { lessDiscount: true as const }),
    creditsNow: prorated === undefined ? 0 : await creditsNow(parts, own, target, read, prorated),
    nextCredits: target.monthlyCredits,
    currency: target.currency,
    at: (isNow || kind === 'keep' ? new Date(clock.now()) : read.periodEndsAt).toISOString(),
    prorationDate: prorated ?? null,
    paymentMethod: read.ownMethod ?? null,
  };
  return { own, read, kind, isNow, isMade: same !== undefined, update, change };
}

/** Finds a change that the same click has made before: its answer was lost, and the click was repeated. */
async function findSame(
  { db }: ChangeParts,
  providerSubscriptionId: string,
  { wantedPriceId }: Target,
  prorationDate: number | undefined,
) {
  if (prorationDate === undefined) return undefined;
  const same = await findSameChange(db.query, { providerSubscriptionId, priceId: wantedPriceId, prorationDate });
  return same?.state === 'done' ? same : undefined;
}

/** @throws SoukError not_active, invalid_request */
async function judge(parts: ChangeParts, own: Own<OwnedPlan>, target: Plan): Promise<PlannedChange['kind']> {
  requireActive(own, parts.clock.now());
  if (own.planId === target.planId) {
    if (own.nextPlanId === undefined)
      throw new SoukError('invalid_request', { message: `You have the ${target.name} plan already.` });
    return 'keep';
  }
  const isHigher = tiers[target.tier].level > tiers[own.tier].level;
  // the difference would be computed from the price of the plan that was chosen for the next period
  if (isHigher && own.nextPlanId !== undefined)
    throw new SoukError('invalid_request', {
      message: `You chose ${(await findOffer(parts, own.nextPlanId))?.name ?? own.nextPlanId} for the next period. Keep ${own.name} first, then upgrade.`,
    });
  return isHigher ? 'upgrade' : 'downgrade';
}

/**
 * Returns the second for which a difference is prorated: that of the preview, so that users pay what they saw.
 * @throws SoukError price_changed where the preview is too old or of another period, invalid_request where it is in the future
 */
function prorationDateOf(read: ProviderSubscription, nowMs: number, previewed: number | undefined): number {
  const seconds = (ms: number) => Math.floor(ms / 1000);
  const [from, until] = [seconds(read.periodStartsAt.getTime()), seconds(read.periodEndsAt.getTime())];
  const now = Math.min(until, Math.max(from, seconds(nowMs)));
  if (previewed === undefined) return now;
  if (previewed > now) throw new SoukError('invalid_request', { message: 'prorationDate: is in the future' });
  if (previewed < from || previewed < now - previewSeconds) throw new SoukError('price_changed');
  return previewed;
}

/** Cost of a change now, in minor units. */
async function dueOf(
  { provider }: ChangeParts,
  subscription: string,
  same: { amountDue: number } | undefined,
  update: PlannedChange['update'] | undefined,
): Promise<{ amount: number; tax: number }> {
  if (same) return { amount: same.amountDue, tax: 0 };
  if (!update) return { amount: 0, tax: 0 };
  const invoice = await provider.call((stripe) =>
    stripe.invoices.createPreview({ subscription, subscription_details: update }),
  );
  const { amount_due: amount } = invoice;
  return { amount, tax: Math.min(amount, totalsOfInvoice(invoice).tax) };
}

/** The credits that are granted when the invoice of the change is paid (record-subscription.ts). */
async function creditsNow(
  { db }: ChangeParts,
  own: Own<OwnedPlan>,
  target: Plan,
  read: ProviderSubscription,
  from: number,
): Promise<number> {
  const current = await readPlan(db.query, own.planId);
  const had = await creditsOfPeriod(db.query, own.providerSubscriptionId, read.priceId, new Date(from * 1000));
  const currentCredits = had ?? current?.monthlyCredits ?? 0;
  const [startsMs, endsMs] = [read.periodStartsAt.getTime(), read.periodEndsAt.getTime()];
  const share = (endsMs - from * 1000) / (endsMs - startsMs);
  return Math.max(0, Math.ceil((target.monthlyCredits - currentCredits) * share));
}
