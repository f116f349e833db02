import { SoukError } from '#platform/errors.ts';
import { moneyText } from '@souk/contract/billing/currencies.ts';
import { utcDayText } from '@souk/contract/utc-day.ts';
import type { PurchaseLock } from '../changes/purchase-locks.ts';
import { endRentalsWithPlan, type ChosenRentals } from '../overlap/end-with-plan.ts';
import { assessChange, findTarget } from './plan-change/assess-change.ts';
import type { ChangeParts, PlanChange } from './plan-change/planned-change.ts';
import { makeChange } from './plan-change/make-change.ts';

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
 * Changes the plan of a subscription. A higher plan starts at once, and only if the difference is paid; a lower one starts with
 * the next period. The current plan cancels a change that was chosen for the next period. If the card's owner has to confirm
 * the payment, they do so on a page of the provider, and the higher plan starts then.
 *
 * The provider's current state decides. The decision is stored (plan_changes) before the request to the provider: what the
 * provider charges is what the user saw, or it is refunded.
 * @throws SoukError, as the contract says
 */
export function createChangePlan(parts: ChangeParts): ChangePlan {
  return async (userId, id, wanted) => {
    if (!wanted.preview) return parts.locks.run(userId, (lock) => change(parts, userId, id, wanted, lock));
    const target = await findTarget(parts, wanted.planId);
    const planned = await assessChange(parts, userId, id, target, { prorationDate: wanted.prorationDate });
    return { message: 'Nothing is changed yet.', change: planned.change, paymentUrl: null };
  };
}

async function change(
  parts: ChangeParts,
  userId: string,
  id: string,
  { planId, prorationDate, shown, ...chosen }: Parameters<ChangePlan>[2],
  lock: PurchaseLock,
): ReturnType<ChangePlan> {
  const { db, provider, findServer, clock } = parts;
  const target = await findTarget(parts, planId);
  const planned = await assessChange(parts, userId, id, target, { prorationDate, lock });
  const { change: now, kind, isNow, read } = planned;
  if (shown && (shown.amountDue !== now.amountDue || shown.nextAmount !== now.nextAmount)) throw priceChanged(now);
  const done = () => doneText(kind === 'upgrade' && !isNow ? 'downgrade' : kind, target.name, now.at);
  if (planned.isMade) return { message: done(), change: now, paymentUrl: null };
  const person = { userId, livemode: provider.livemode };
  await endRentalsWithPlan(db.query, { findServer, nowMs: clock.now() }, person, target, chosen);
  if (isNow && read.awaited?.priceId === target.wantedPriceId)
    return toConfirm(target.name, now, read.awaited.paymentUrl);
  const { paymentUrl } = await makeChange(parts, userId, target, planned, lock);
  if (paymentUrl !== null) return toConfirm(target.name, now, paymentUrl);
  return { message: done(), change: now, paymentUrl: null };
}

function priceChanged({ amountDue, nextAmount, currency }: PlanChange): SoukError {
  const now = amountDue === 0 ? 'nothing' : moneyText(amountDue, currency);
  const message = `The price has changed: ${now} now, then ${moneyText(nextAmount, currency)} a month. Please confirm it again.`;
  return new SoukError('price_changed', { message, price: { amountDue, nextAmount, currency } });
}

const toConfirm = (name: string, change: PlanChange, paymentUrl: string) => ({
  message: `Your bank asks you to confirm the payment. The ${name} plan begins once it is paid.`,
  change,
  paymentUrl,
});

function doneText(kind: 'upgrade' | 'downgrade' | 'keep', name: string, at: string): string {
  if (kind === 'upgrade') return `You are on the ${name} plan now.`;
  if (kind === 'keep') return `You keep the ${name} plan.`;
  return `The ${name} plan begins on ${utcDayText(at)}.`;
}
