/** Something happened at the payment provider. A hint: what it is about is asked of the provider, by its id. */
export type PaymentEvent = {
  id: string;
  /** Such as checkout.session.completed. */
  type: string;
  /** Of the session, subscription, invoice, refund or dispute. */
  objectId: string;
};

/**
 * What is done for events of each type. A handler may be called several times for one event, for two events at once, and
 * in any order; one that fails is called again later.
 */
export type PaymentEventHandlers = Readonly<Record<string, (event: PaymentEvent) => Promise<unknown>>>;
