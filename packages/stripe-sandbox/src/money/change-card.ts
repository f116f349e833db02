import type { PayerCard } from '../objects/types.ts';
import { emit } from '../webhooks/emit-event.ts';
import type { Row, Work } from '../work.ts';
import { addPaymentMethod } from './payment-method.ts';
import { findTestCard, type Decline } from './test-cards.ts';

/**
 * Changes a customer's default card in the portal. Subscriptions with their own card keep it. A card that the bank declines is
 * not stored.
 * @returns why it was declined
 */
export function changeCard(work: Work, customer: Row<'customer'>, card: PayerCard): Decline | undefined {
  const outcome = findTestCard(card.number)?.onPage;
  if (typeof outcome === 'object') return outcome;
  const method = addPaymentMethod(work, card, customer.id);
  const previous = { invoice_settings: structuredClone(customer.body.invoice_settings) };
  customer.body.invoice_settings.default_payment_method = method.id;
  work.save(customer);
  emit(work, 'customer.updated', customer.body, previous);
  return undefined;
}
