import { id } from '../api/parameters.ts';
import { listRoute, readRoute } from './object-routes.ts';

/** Payments are made by checkout, renewals and changes, and only read here. */
export const paymentRoutes = [
  listRoute('payment_intent', 'payment_intents', { customer: id.optional() }),
  readRoute('payment_intent', 'payment_intents'),
  listRoute('charge', 'charges', { customer: id.optional(), payment_intent: id.optional() }),
  readRoute('charge', 'charges'),
  listRoute('invoice_payment', 'invoice_payments', { invoice: id.optional() }),
  readRoute('invoice_payment', 'invoice_payments'),
];
