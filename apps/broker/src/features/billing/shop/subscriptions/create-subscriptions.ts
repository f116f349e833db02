import { readOwnedServer } from '../../entitlement/read-owned-servers.ts';
import type { PurchaseLock } from '../changes/purchase-locks.ts';
import { idOf } from '../id-of.ts';
import type { ShopParts, SyncSubscription } from '../shop-parts.ts';
import type { PaymentEventHandlers } from '../webhook/payment-event.ts';
import { listPaymentMethods } from './cards/list-payment-methods.ts';
import { openPortal } from './cards/open-portal.ts';
import { findOpenPayment } from './find-open-payment.ts';
import { createFollowCards } from './cards/follow-cards.ts';
import { setPaymentSettings } from './cards/payment-settings.ts';
import { createChangePlan, type ChangePlan } from './change-plan.ts';
import { endAtProvider } from './ends/end-at-provider.ts';
import { endMissing } from './ends/end-missing.ts';
import { createEndOwn, type EndOwn } from './ends/end-own.ts';
import { endReplaced } from './ends/end-replaced.ts';
import { endUnoffered } from './ends/end-unoffered.ts';
import { endWanted } from './ends/end-wanted.ts';
import { setEnd } from './ends/set-end.ts';
import { retryReadings } from './reading/retry-readings.ts';
import { endRevoked, reconcileSubscriptions } from './reconcile-subscriptions.ts';
import { createReturnOwed } from './return-owed.ts';
import { createSyncSubscription } from './sync-subscription.ts';

/** Subscriptions to plans and rentals, from the first payment to the end. */
export type Subscriptions = {
  readonly sync: SyncSubscription;
  readonly ends: EndOwn;
  readonly changePlan: ChangePlan;
  findOpenPayment(userId: string, id: string): ReturnType<typeof findOpenPayment>;
  openPortal(userId: string, backTo?: { planId?: string | undefined }): ReturnType<typeof openPortal>;
  listPaymentMethods(userId: string): ReturnType<typeof listPaymentMethods>;
  /** Handles events. @param claim fulfills the order of a subscription that is unknown here */
  handlers(claim: (providerSubscriptionId: string) => Promise<unknown>): PaymentEventHandlers;
  endReplaced(order: { replaces: readonly string[] }, lock: PurchaseLock): Promise<void>;
  /** Refetches all subscriptions that are not over at the provider. Returns how many had changed. */
  reconcile(): Promise<number>;
  /** Ends a subscription at the provider now. @throws SoukError payments_unavailable, change_under_way */
  endNow(providerSubscriptionId: string, lock?: PurchaseLock): Promise<unknown>;
  /** Ends a subscription at the provider with its period. @throws SoukError payments_unavailable, change_under_way */
  endWithPeriod(providerSubscriptionId: string): Promise<void>;
  endWanted(): Promise<void>;
  endRevoked(): Promise<void>;
  endUnoffered(): Promise<void>;
  returnOwed(): Promise<void>;
  retryReadings(): Promise<void>;
};

export function createSubscriptions(options: Omit<ShopParts, 'sync'>): Subscriptions {
  const { provider, locks, access, catalogue, log } = options;
  const returns = createReturnOwed(options);
  const readServer = (id: string) => readOwnedServer(catalogue, id);
  const sync: SyncSubscription = createSyncSubscription({
    ...options,
    readServer,
    announce: access.announce,
    endMissing: (id) => endMissing(options, id),
    returnOwed: returns.of,
    setPaymentSettings: (read) => setPaymentSettings(options, read),
    async endRentals(ids, lock) {
      for (const id of ids)
        await setEnd(parts, id, true, lock).catch((error: unknown) => {
          log.warn({ err: error, subscription: id }, 'a rental that a plan includes could not be ended yet');
        });
    },
  });
  const parts = { ...options, readServer, sync };
  return {
    sync,
    ends: createEndOwn(parts),
    changePlan: createChangePlan(parts),
    findOpenPayment: (userId, id) => findOpenPayment(parts, userId, id),
    openPortal: (userId, backTo) => openPortal(parts, userId, backTo),
    listPaymentMethods: (userId) => listPaymentMethods(parts, userId),
    handlers: (claim) => handlersOf(parts, claim),
    endReplaced: (order, lock) => endReplaced(parts, order, lock),
    reconcile: () => reconcileSubscriptions(parts),
    endNow: (id, lock) => locks.runFor(id, (taken) => endAtProvider({ provider, sync }, id, { lock: taken }), { lock }),
    endWithPeriod: (id) => locks.runFor(id, (lock) => setEnd(parts, id, true, lock)),
    endWanted: () => endWanted(parts),
    endRevoked: () => endRevoked(parts),
    endUnoffered: () => endUnoffered(parts),
    returnOwed: returns.due,
    retryReadings: () => retryReadings(parts),
  };
}

function handlersOf(parts: ShopParts, claim: (id: string) => Promise<unknown>): PaymentEventHandlers {
  const { provider, sync } = parts;
  const cards = createFollowCards(parts);

  async function subscriptionOf(invoiceId: string): Promise<string | undefined> {
    const invoice = await provider.find((stripe) => stripe.invoices.retrieve(invoiceId));
    return idOf(invoice?.parent?.subscription_details?.subscription);
  }

  const read = async (id: string) => (await sync(id)) === 'unknown' && claim(id);
  const ofSubscription: PaymentEventHandlers[string] = ({ objectId }) => read(objectId);
  const ofInvoice: PaymentEventHandlers[string] = async ({ objectId }) => {
    const id = await subscriptionOf(objectId);
    return id !== undefined && read(id);
  };
  const ofPayment: PaymentEventHandlers[string] = async (event) => {
    await ofInvoice(event);
    const id = await subscriptionOf(event.objectId);
    if (id !== undefined) await cards.afterPayment(event.objectId, id);
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
  };
}
