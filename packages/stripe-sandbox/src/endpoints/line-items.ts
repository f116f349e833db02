import { badRequest } from '../api/stripe-error.ts';
import { checkSmallest } from '../money/currencies.ts';
import { sumOf } from '../money/invoices/totals.ts';
import type { LineItem } from '../objects/types.ts';
import type { Work } from '../work.ts';
import { findObject } from './object-routes.ts';

/**
 * Validates the items of a session like Stripe.
 * @throws StripeError
 */
export async function toLineItems(
  work: Work,
  mode: 'payment' | 'subscription',
  wanted: readonly { price: string; quantity: number }[],
): Promise<LineItem[]> {
  const items: LineItem[] = [];
  for (const [index, { price: id, quantity }] of wanted.entries()) {
    const param = `line_items[${index}][price]`;
    const price = (await findObject(work, 'price', id, param)).body;
    if (!price.active) {
      throw badRequest('The price specified is inactive. This field only accepts active prices.', { param });
    }
    if (mode === 'payment' && price.recurring) {
      throw badRequest(
        'You specified `payment` mode but passed a recurring price. Either switch to `subscription` mode or use only one-time prices.',
        { param: 'mode' },
      );
    }
    if (mode === 'subscription' && !price.recurring) {
      throw badRequest('You must provide at least one recurring price in `subscription` mode when using prices.', {
        param: 'mode',
      });
    }
    const product = await work.need('product', price.product);
    const total = price.unit_amount * quantity;
    items.push({
      id: work.newId('item'),
      object: 'item',
      adjustable_quantity: null,
      amount_discount: 0,
      amount_subtotal: total,
      amount_tax: 0,
      amount_total: total,
      currency: price.currency,
      description: product.body.name,
      metadata: {},
      price,
      quantity,
    });
  }
  if (new Set(items.map(({ currency }) => currency)).size > 1) {
    throw badRequest('All prices on a Checkout Session must have the same currency.', { param: 'line_items' });
  }
  checkTotal(mode, items);
  return items;
}

function checkTotal(mode: string, items: readonly LineItem[]): void {
  const total = sumOf(items.map(({ amount_total: amount }) => amount));
  if (total === 0 && mode === 'subscription') return;
  checkSmallest(items[0]?.currency ?? 'usd', total);
}
