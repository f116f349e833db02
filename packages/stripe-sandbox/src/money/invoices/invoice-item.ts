import type { InvoiceItem, InvoiceLine } from '../../objects/types.ts';
import type { Work } from '../../work.ts';

export const subscriptionOfItem = ({ parent }: InvoiceItem): string | null =>
  parent?.subscription_details?.subscription ?? null;

/** Creates the line of a manually added item, which has no price and no period. */
export function itemLine(work: Work, item: InvoiceItem): InvoiceLine {
  return {
    id: work.newId('line_item'),
    object: 'line_item',
    amount: item.amount,
    currency: item.currency,
    description: item.description,
    discount_amounts: [],
    discountable: true,
    discounts: [],
    invoice: null,
    livemode: false,
    metadata: {},
    parent: {
      type: 'invoice_item_details',
      invoice_item_details: {
        invoice_item: item.id,
        proration: false,
        proration_details: { credited_items: null },
        subscription: subscriptionOfItem(item),
      },
      subscription_item_details: null,
    },
    period: item.period,
    pretax_credit_amounts: [],
    pricing: null,
    quantity: 1,
    quantity_decimal: '1',
    subscription: subscriptionOfItem(item),
    subtotal: item.amount,
    taxes: [],
  };
}
