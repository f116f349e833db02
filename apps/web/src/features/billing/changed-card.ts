import type { PaymentMethod } from '@souk/contract/billing/payments.ts';

const leftKey = 'souk.card';

/** Remembers, in this tab only, which cards are charged when the user leaves to choose another one. */
export function rememberCards(methods: readonly PaymentMethod[]): void {
  window.sessionStorage.setItem(leftKey, JSON.stringify(methods));
}

/** Returns whether the user left in this tab to choose another card, and no new one was seen since. */
export const isChangeAwaited = (): boolean => window.sessionStorage.getItem(leftKey) !== null;

/** Returns the new card of a user who has come back, once. Undefined: no card is new. */
export function takeChangedCard(methods: readonly PaymentMethod[]): PaymentMethod | undefined {
  const remembered = window.sessionStorage.getItem(leftKey);
  if (remembered === null) return undefined;
  const changed = methods.find((method) => !remembered.includes(JSON.stringify(method)));
  if (changed) window.sessionStorage.removeItem(leftKey);
  return changed;
}
