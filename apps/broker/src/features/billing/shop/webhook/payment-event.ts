/** An event of the payment provider. It is only a hint: its object is read from the provider, by its id. */
export type PaymentEvent = {
  id: string;
  type: string;
  /** Id of the session, subscription, invoice, refund or dispute. */
  objectId: string;
};

/**
 * Handlers by type of event. A handler may be called several times for one event, for two events concurrently, and in any
 * order; it is called again after a failure.
 */
export type PaymentEventHandlers = Readonly<
  Record<string, (event: Pick<PaymentEvent, 'objectId'>) => Promise<unknown>>
>;
