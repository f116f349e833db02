import type { PaymentMethod } from '@souk/contract/billing/payments.ts';

const leftKey = 'souk.card';

/** Remembers the current cards, in this tab only, when the user leaves to choose another one. */
export function rememberCards(methods: readonly PaymentMethod[]): void {
  window.sessionStorage.setItem(leftKey, JSON.stringify(methods));
}

/** Returns whether the user left this tab to choose another card, and no new card has appeared yet. */
export const isChangeAwaited = (): boolean => window.sessionStorage.getItem(leftKey) !== null;

/** Returns the new card, once, after the user has come back. Undefined: no card is new. */
export function takeChangedCard(methods: readonly PaymentMethod[]): PaymentMethod | undefined {
  const remembered = window.sessionStorage.getItem(leftKey);
  if (remembered === null) return undefined;
  const changed = methods.find((method) => !remembered.includes(JSON.stringify(method)));
  if (changed) window.sessionStorage.removeItem(leftKey);
  return changed;
}
