import { badRequest, noSuch, notImplemented } from '../../api/stripe-error.ts';
import type { InvoiceLine, Subscription, SubscriptionItem } from '../../objects/types.ts';
import type { Row, Work } from '../../work.ts';
import { appliedOf, pricingOf } from '../checkout/discount.ts';
import { invoiceLine } from '../invoices/invoice.ts';
import { planOf } from './plan-of.ts';
import { productName } from '../product-name.ts';

export type ItemChange = { id?: string | undefined; price?: string | undefined; quantity?: number | undefined };

/**
 * Calculates the changed items, and the prorations for the rest of the period: the old price is credited, the new one due.
 * @throws StripeError
 */
export async function changeItems(
  work: Work,
  { body: subscription, memory }: Row<'subscription'>,
  changes: readonly ItemChange[],
  at: number,
): Promise<{ items: SubscriptionItem[]; lines: InvoiceLine[] }> {
  const items = structuredClone(subscription.items.data);
  const lines: InvoiceLine[] = [];
  // unused time has the discount that it was invoiced with, remaining time the active one
  const invoicedWith = memory.invoicedWith === undefined ? undefined : await appliedOf(work, memory.invoicedWith);
  const running = (await pricingOf(work, subscription, at)).discount;
  const shares = { before: shareOf(invoicedWith?.coupon), after: shareOf(running?.coupon) };
  for (const [index, change] of changes.entries()) {
    const place = `items[${index}]`;
    if (change.id === undefined) throw notImplemented('adding items to a subscription', `${place}[id]`);
    const item = items.find(({ id }) => id === change.id);
    if (!item) throw noSuch('subscription_item', change.id, `${place}[id]`);
    const before = structuredClone(item);
    await changeItem(work, item, change, place);
    lines.push(...(await prorate(work, subscription, before, item, at, shares)));
  }
  return { items, lines };
}

/** Share of a price that remains after a percentage discount. Fixed discounts apply only to whole invoices. */
const shareOf = (coupon: { percent_off: number | null } | undefined): number => 1 - (coupon?.percent_off ?? 0) / 100;

async function changeItem(work: Work, item: SubscriptionItem, change: ItemChange, place: string): Promise<void> {
  if (change.quantity !== undefined) item.quantity = change.quantity;
  if (change.price === undefined) return;
  const param = `${place}[price]`;
  const price = (await work.get('price', change.price))?.body;
  if (!price) throw noSuch('price', change.price, param);
  if (!price.active)
    throw badRequest('The price specified is inactive. This field only accepts active prices.', { param });
  if (!price.recurring) {
    throw badRequest(
      'The price specified is set to `type=one_time` but this field only accepts prices with `type=recurring`.',
      {
        param,
      },
    );
  }
  if (price.currency !== item.price.currency) {
    throw badRequest('The price specified does not match the currency of the subscription.', { param });
  }
  const { interval, interval_count: count } = price.recurring;
  if (interval !== item.price.recurring?.interval || count !== item.price.recurring.interval_count) {
    throw notImplemented('a change to a price with another interval', param);
  }
  item.price = price;
  item.plan = planOf(price);
}

async function prorate(
  work: Work,
  { id: subscription, latest_invoice: credited }: Subscription,
  before: SubscriptionItem,
  after: SubscriptionItem,
  at: number,
  shares: { before: number; after: number },
): Promise<InvoiceLine[]> {
  const { current_period_start: start, current_period_end: end } = before;
  const rest = Math.min(1, Math.max(0, (end - at) / (end - start)));
  const line = (item: SubscriptionItem, part: number, description: string) =>
    invoiceLine(work, {
      price: item.price,
      quantity: item.quantity,
      amount: Math.round(item.price.unit_amount * item.quantity * rest * Math.abs(part)) * Math.sign(part),
      description,
      period: { start: at, end },
      subscription: { id: subscription, item: item.id },
      proration: true,
      credits: part > 0 ? null : credited,
    });
  return [
    line(before, -shares.before, `Unused time on ${await productName(work, before.price)}`),
    line(after, shares.after, `Remaining time on ${await productName(work, after.price)}`),
  ];
}
