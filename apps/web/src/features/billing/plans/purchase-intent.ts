const intentKey = 'souk.purchase';

/**
 * Remembers, in this tab alone, what a person chose before they leave to sign in or to change their card.
 * @returns the address to come back to
 */
export function rememberPurchase(id: string): string {
  window.sessionStorage.setItem(intentKey, id);
  return `/plans?buy=${encodeURIComponent(id)}`;
}

/**
 * What the person chose in this tab, once. A link from elsewhere with `?buy=` starts no payment.
 * @param asked `buy` of the address
 */
export function takePurchase(asked: string | undefined): string | undefined {
  const remembered = window.sessionStorage.getItem(intentKey);
  window.sessionStorage.removeItem(intentKey);
  return remembered !== null && remembered === asked ? remembered : undefined;
}
