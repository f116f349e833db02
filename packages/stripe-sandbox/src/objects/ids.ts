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

export type Named = keyof typeof prefixes;
export type Random = (bytes: number) => Uint8Array;

/** Ids as Stripe's. One of a checkout session, of the portal or an invoice is also what opens its page, so it cannot be guessed: 140 bits. */
export function createIds(random: Random = randomBytes): (kind: Named) => string {
  return (kind) =>
    `${prefixes[kind]}_${randomText(random, kind === 'checkout.session' || kind === 'billing_portal.session' ? 58 : 24)}`;
}

/** Evenly spread: a byte that would favour some letters is thrown away. */
export function randomText(random: Random, length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of random(length)) {
      if (byte < 248 && text.length < length) text += letters[byte % letters.length];
    }
  }
  return text;
}
