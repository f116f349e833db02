const intentKey = 'souk.purchase';

/**
 * Remembers the choice of a user who leaves to sign in or to change their card, in this tab only.
 * @returns the address to come back to
 */
export function rememberPurchase(id: string): string {
  window.sessionStorage.setItem(intentKey, id);
  return `/plans?buy=${encodeURIComponent(id)}`;
}

/**
 * Returns what the user chose in this tab, once. A link from elsewhere with `?buy=` starts no payment.
 * @param asked `buy` of the address
 */
export function takePurchase(asked: string | undefined): string | undefined {
  const remembered = window.sessionStorage.getItem(intentKey);
  window.sessionStorage.removeItem(intentKey);
  return remembered !== null && remembered === asked ? remembered : undefined;
}
