/** The query that the payment provider adds to /payment/result. */
export type PaymentSearch = { sessionId: string | undefined; isHinted: boolean; isCanceled: boolean };

/** Parses the raw address, since the router would read an id like 1e9 as a number. */
export function readPaymentSearch(search: string): PaymentSearch {
  const query = new URLSearchParams(search);
  return {
    sessionId: query.get('session_id') || undefined,
    isHinted: query.get('success') === 'true',
    isCanceled: query.get('canceled') === 'true',
  };
}
