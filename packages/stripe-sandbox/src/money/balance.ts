import type { Row, Work } from '../work.ts';
import { emit } from '../webhooks/emit-event.ts';
import { smallestCharge } from './currencies.ts';

/**
 * Splits a total into the amount to charge and the customer's new balance, which is negative for a credit. An amount too
 * small to charge is carried over to the next invoice.
 */
export function dueOf(total: number, balance: number, currency: string): { due: number; balance: number } {
  const rest = total + balance;
  if (rest <= 0) return { due: 0, balance: rest };
  return rest < smallestCharge(currency) ? { due: 0, balance: rest } : { due: rest, balance: 0 };
}

/** Sets a customer's balance, which is added to their next invoice. */
export function setBalance(work: Work, customer: Row<'customer'>, balance: number): void {
  const { balance: before } = customer.body;
  if (before === balance) return;
  customer.body.balance = balance;
  work.save(customer);
  emit(work, 'customer.updated', customer.body, { balance: before });
}
