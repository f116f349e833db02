import type { PayerCard } from '../objects/types.ts';
import { emit } from '../webhooks/emit-event.ts';
import type { Row, Work } from '../work.ts';
import { addPaymentMethod } from './payment-method.ts';

/** A customer names another card in the portal: it becomes theirs. Subscriptions that have a card of their own keep that. */
export function changeCard(work: Work, customer: Row<'customer'>, card: PayerCard): void {
  const method = addPaymentMethod(work, card, customer.id);
  const previous = { invoice_settings: structuredClone(customer.body.invoice_settings) };
  customer.body.invoice_settings.default_payment_method = method.id;
  work.save(customer);
  emit(work, 'customer.updated', customer.body, previous);
}
