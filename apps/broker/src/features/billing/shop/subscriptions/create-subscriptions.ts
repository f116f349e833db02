import type { PaymentProvider } from '#adapters/stripe/stripe-client.ts';
import type { Catalogue } from '#features/catalogue/index.ts';
import type { Clock } from '#platform/clock.ts';
import type { Database } from '#platform/db/database.ts';
import type { Log } from '#platform/log.ts';
import type { AccessBook } from '../../entitlement/create-access.ts';
import { readOwnedServer } from '../../entitlement/read-owned-servers.ts';
import type { PurchaseLock, PurchaseLocks } from '../changes/purchase-locks.ts';
import type { OfferStore } from '../offers/offer-store.ts';
import type { Prices } from '../prices/create-prices.ts';
import { createTakeBack } from '../taking-back/create-take-back.ts';
import { createFindMissedDisputes } from '../taking-back/find-missed-disputes.ts';
import { createChangePlan, type ChangePlan } from './change-plan.ts';
import { endAtProvider } from './ends/end-at-provider.ts';
import { createEndOwn, type EndOwn } from './ends/end-own.ts';
import { createEndMissing } from './ends/end-missing.ts';
import { createEndReplaced, type EndReplaced } from './ends/end-replaced.ts';
import { createFollowCards } from './cards/follow-cards.ts';
import { createListPaymentMethods, type ListPaymentMethods } from './cards/list-payment-methods.ts';
import { createOpenPortal, type OpenPortal } from './cards/open-portal.ts';
import { createSettlePayments } from './cards/payment-settings.ts';
import { createReturnOwed } from './return-owed.ts';
import { endWanted } from './ends/end-wanted.ts';
import { setEnd } from './ends/set-end.ts';
import { endUnoffered } from './ends/end-unoffered.ts';
import { createFindOpenPayment, type FindOpenPayment } from './find-open-payment.ts';
import { readAgain } from './reading/read-again.ts';
import { endTakenAway, reconcileSubscriptions } from './reconcile-subscriptions.ts';
import { createSyncSubscription, type SyncSubscription } from './sync-subscription.ts';

/** By type of event; each is given the id of the object that the event is about. */
type Handlers = Readonly<Record<string, (event: { objectId: string }) => Promise<unknown>>>;

/** What people pay for each month, from its first payment to its end. */
export type Subscriptions = {
  readonly sync: SyncSubscription;
  readonly ends: EndOwn;
  readonly changePlan: ChangePlan;
  readonly findOpenPayment: FindOpenPayment;
  readonly openPortal: OpenPortal;
  readonly listPaymentMethods: ListPaymentMethods;
  /** For webhooks. @param claim looks for the order of a subscription that nobody here has */
  handlers(claim: (paymentId: string) => Promise<unknown>): Handlers;
  /** Ends what a person had not paid for and has replaced. */
  readonly endReplaced: EndReplaced;
  /** Compares all that are not over with the provider. Answers how many differed. */
  reconcile(): Promise<number>;
  /** Follows disputes of the provider that are not known here as they are now. Answers how many. */
  findMissedDisputes(): Promise<number>;
  /** Ends one at the provider now. @throws SoukError payments_unavailable, change_under_way */
  endNow(paymentId: string, lock?: PurchaseLock): Promise<unknown>;
  /** Ends one at the provider with its period. @throws SoukError payments_unavailable, change_under_way */
  endWithPeriod(paymentId: string): Promise<void>;
  /** Tells the provider of those that are to end with their period, and that it has not heard of. */
  endWanted(): Promise<void>;
  /** Ends at the provider what was taken away here. */
  endTakenAway(): Promise<void>;
  /** Lets the rentals of servers that were undeployed end with the period that is paid. */
  endUnoffered(): Promise<void>;
  /** Gives back what was paid for what has ended, or for changes that did not happen. */
  returnOwed(): Promise<void>;
  /** Reads those that changed at each reading, or of which something is left to do at the provider. */
  readAgain(): Promise<void>;
};

export function createSubscriptions(options: {
  db: Database;
  provider: PaymentProvider;
  offers: OfferStore;
  prices: Prices;
  locks: PurchaseLocks;
  access: AccessBook;
  catalogue: Pick<Catalogue, 'snapshot' | 'versions'>;
  publicUrl: string;
  /** The provider's names of what people pay with. */
  paymentMethods: readonly string[];
  uuid: () => string;
  clock: Clock;
  log: Log;
}): Subscriptions {
  const { db, provider, locks, access, catalogue, clock, log } = options;
  const returns = createReturnOwed(options);
  const given = {
    ...options,
    query: db.query,
    findServer: (id: string) => catalogue.snapshot().byId.get(id),
    readServer: (id: string) => readOwnedServer(catalogue, id),
    announce: access.announce,
    endMissing: createEndMissing({ db, provider, announce: access.announce, clock, log }),
    returnOwed: returns.of,
    settle: createSettlePayments({ provider, methods: options.paymentMethods, log }),
  };
  const sync: SyncSubscription = createSyncSubscription({
    ...given,
    async endRentals(paymentIds, lock) {
      for (const paymentId of paymentIds)
        await setEnd({ ...given, sync }, paymentId, true, lock).catch((error: unknown) => {
          log.warn({ err: error, subscription: paymentId }, 'a rental that a plan includes could not be ended yet');
        });
    },
  });
  const cards = createFollowCards({ provider, query: db.query, clock });
  const takeBack = createTakeBack({ ...given, sync });

  async function subscriptionOf(invoiceId: string): Promise<string | undefined> {
    const invoice = await provider.find((stripe) => stripe.invoices.retrieve(invoiceId));
    const subscription = invoice?.parent?.subscription_details?.subscription;
    return typeof subscription === 'string' ? subscription : subscription?.id;
  }

  const ofRefund: Handlers[string] = ({ objectId }) => takeBack.refund(objectId);
  const ofDispute: Handlers[string] = ({ objectId }) => takeBack.dispute(objectId);
  return {
    sync,
    ends: createEndOwn({ ...given, sync }),
    changePlan: createChangePlan({ ...given, sync }),
    findOpenPayment: createFindOpenPayment(given),
    openPortal: createOpenPortal(given),
    listPaymentMethods: createListPaymentMethods(given),
    handlers(claim) {
      const read = async (paymentId: string) => (await sync(paymentId)) === 'unknown' && claim(paymentId);
      const ofSubscription: Handlers[string] = ({ objectId }) => read(objectId);
      const ofInvoice: Handlers[string] = async ({ objectId }) => {
        const paymentId = await subscriptionOf(objectId);
        return paymentId !== undefined && read(paymentId);
      };
      const ofPayment: Handlers[string] = async (event) => {
        await ofInvoice(event);
        const paymentId = await subscriptionOf(event.objectId);
        if (paymentId !== undefined) await cards.afterPayment(event.objectId, paymentId);
      };
      return {
        'customer.subscription.created': ofSubscription,
        'customer.subscription.updated': ofSubscription,
        'customer.subscription.deleted': ofSubscription,
        'customer.subscription.pending_update_expired': ofSubscription,
        'invoice.paid': ofPayment,
        'customer.updated': ({ objectId }) => cards.afterChoice(objectId),
        'invoice.payment_failed': ofInvoice,
        'invoice.payment_action_required': ofInvoice,
        'refund.created': ofRefund,
        'refund.updated': ofRefund,
        'refund.failed': ofRefund,
        'charge.dispute.created': ofDispute,
        'charge.dispute.updated': ofDispute,
        'charge.dispute.closed': ofDispute,
      };
    },
    endReplaced: createEndReplaced({ provider, sync }),
    findMissedDisputes: createFindMissedDisputes({ ...given, takeBack }),
    reconcile: () => reconcileSubscriptions({ db, provider, sync, clock, log }),
    endNow: (paymentId, lock) =>
      locks.runFor(paymentId, (held) => endAtProvider({ provider, sync }, paymentId, { lock: held }), { lock }),
    endWithPeriod: (paymentId) => locks.runFor(paymentId, (held) => setEnd({ ...given, sync }, paymentId, true, held)),
    endWanted: () => endWanted({ ...given, sync }),
    endTakenAway: () => endTakenAway({ db, provider, sync, locks, clock, log }),
    endUnoffered: () => endUnoffered({ ...given, sync }),
    returnOwed: returns.due,
    readAgain: () => readAgain({ query: db.query, livemode: provider.livemode, sync }),
  };
}
