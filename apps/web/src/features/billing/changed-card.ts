import type { PaymentMethod } from '@souk/contract/billing/payments.ts';

const leftKey = 'souk.card';

/** Remembers, in this tab alone, which cards are charged when a person leaves to choose another one. */
export function rememberCards(methods: readonly PaymentMethod[]): void {
  window.sessionStorage.setItem(leftKey, JSON.stringify(methods));
}

/** Whether the person has left in this tab to choose another card, and none was seen to be new since. */
export const isChangeAwaited = (): boolean => window.sessionStorage.getItem(leftKey) !== null;

/** The card that a person who has come back chose, once. Undefined: none is new. */
export function takeChangedCard(methods: readonly PaymentMethod[]): PaymentMethod | undefined {
  const remembered = window.sessionStorage.getItem(leftKey);
  if (remembered === null) return undefined;
  const changed = methods.find((method) => !remembered.includes(JSON.stringify(method)));
  if (changed) window.sessionStorage.removeItem(leftKey);
  return changed;
}
