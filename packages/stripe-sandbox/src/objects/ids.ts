import { randomBytes } from 'node:crypto';
import type { Kind } from './types.ts';

const letters = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

const prefixes = {
  customer: 'cus',
  product: 'prod',
  price: 'price',
  'checkout.session': 'cs_test',
  payment_method: 'pm',
  payment_intent: 'pi',
  charge: 'ch',
  refund: 're',
  dispute: 'du',
  subscription: 'sub',
  subscription_item: 'si',
  invoice: 'in',
  invoice_payment: 'inpay',
  line_item: 'il',
  item: 'li',
  event: 'evt',
  webhook_endpoint: 'we',
  'test_helpers.test_clock': 'clock',
  delivery: 'delivery',
  request: 'req',
  invoiceitem: 'ii',
  'billing_portal.session': 'bps',
  coupon: 'coupon',
  promotion_code: 'promo',
  discount: 'di',
  customer_balance_transaction: 'cbtxn',
} as const satisfies Record<
  Exclude<Kind, 'kept_answer' | 'account'> | 'subscription_item' | 'line_item' | 'item' | 'request',
  string
>;

type Named = keyof typeof prefixes;
/** Kinds whose ids are as long as Stripe's. */
const longKinds: readonly Named[] = ['checkout.session', 'billing_portal.session'];

/** Creates an id in Stripe's form. Ids of sessions and invoices open their pages, so they must be unguessable: 140 bits. */
export const newId = (kind: Named): string => `${prefixes[kind]}_${randomText(longKinds.includes(kind) ? 58 : 24)}`;

/** Creates evenly distributed letters and digits: bytes that would favor some characters are discarded. */
export function randomText(length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      if (byte < 248 && text.length < length) text += letters[byte % letters.length];
    }
  }
  return text;
}
