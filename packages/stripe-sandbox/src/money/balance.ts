import type { Row, Work } from '../work.ts';
import { emit } from '../webhooks/emit-event.ts';
import { smallestCharge } from './currencies.ts';

/**
 * Reckons what of a total is charged, and what the customer's balance is then, which is negative where it is a credit. Too little
 * to be charged is asked for with the next invoice.
 */
export function dueOf(total: number, balance: number, currency: string): { due: number; balance: number } {
  const rest = total + balance;
  if (rest <= 0) return { due: 0, balance: rest };
  return rest < smallestCharge(currency) ? { due: 0, balance: rest } : { due: rest, balance: 0 };
}

/** Changes what a customer's next invoice is reduced by, or asks for in addition. */
export function setBalance(work: Work, customer: Row<'customer'>, balance: number): void {
  const { balance: before } = customer.body;
  if (before === balance) return;
  customer.body.balance = balance;
  work.save(customer);
  emit(work, 'customer.updated', customer.body, { balance: before });
}
