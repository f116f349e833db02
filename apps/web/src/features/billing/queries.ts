import type { SubscriptionAnswer } from '@souk/contract/billing/billing.ts';
import { queryOptions } from '@tanstack/react-query';
import { accountKey } from '#web/loading/account-key.ts';
import { billingApi } from './billing-api.ts';

/** The plans and credit packages for sale, the same for everyone. */
export const offersQuery = queryOptions({
  queryKey: ['offers'],
  queryFn: async () => {
    const [{ plans }, { packages }] = await Promise.all([billingApi.listPlans(), billingApi.listCreditPackages()]);
    return { plans: plans.filter(({ active }) => active), packages };
  },
});

/** Key of the user's data that a payment, a cancellation or a trial changes. */
export const billingKey = (userId: string) => [...accountKey(userId), 'billing'];

/** Everything that the user owns, and their credits. */
export const subscriptionQuery = (userId: string) =>
  queryOptions({ queryKey: [...billingKey(userId), 'subscription'], queryFn: () => billingApi.getSubscription() });

/**
 * Replaces a subscription that cannot be fetched: tier T0, zero credits in USD, nothing owned (spec part 1, section 8).
 */
export const noSubscription: SubscriptionAnswer = {
  success: true,
  subscription: { subscriptions: [], rentals: [], purchases: [], trials: [] },
  activeTiers: ['T0'],
  credits: { balance: 0, currency: 'USD', available: 0, held: 0, debt: 0, parts: [] },
  summary: {
    hasActiveSubscriptions: false,
    totalSubscriptions: 0,
    totalPurchases: 0,
    totalRentals: 0,
    totalTrials: 0,
  },
};

/** The open invoice of a plan or rental whose last payment failed, or whose upgrade is unpaid. */
export const openPaymentQuery = (userId: string, id: string) =>
  queryOptions({
    queryKey: [...billingKey(userId), 'open-payment', id],
    queryFn: () => billingApi.getOpenPayment({ params: { id } }),
  });

/** The payment method of each plan and rental, as the payment provider has it now. */
export const paymentMethodsQuery = (userId: string) =>
  queryOptions({
    queryKey: [...billingKey(userId), 'payment-methods'],
    queryFn: () => billingApi.listPaymentMethods(),
  });

/** Every service, with the user's access to it. */
export const myServicesQuery = (userId: string) =>
  queryOptions({
    queryKey: [...billingKey(userId), 'services'],
    queryFn: () => billingApi.listMcpServices({ params: { userId } }),
  });

export const rentalOptionsQuery = (userId: string, mcpId: string) =>
  queryOptions({
    queryKey: [...billingKey(userId), 'options', mcpId],
    queryFn: () => billingApi.getRentalOptions({ params: { mcpId } }),
  });

/** A tool that the link to the page names; the user may not have called it. */
export type NamedTool = { server: string; tool: string };

/** Raised prices that wait for the user's approval, and announced ones. */
export const priceRisesQuery = (userId: string, named?: NamedTool) =>
  queryOptions({
    queryKey: [...billingKey(userId), 'price-rises', named],
    queryFn: () => billingApi.listPriceRises({ query: named ?? {} }),
  });

export const spendCapQuery = (userId: string) =>
  queryOptions({
    queryKey: [...billingKey(userId), 'spend-cap'],
    queryFn: () => billingApi.getSpendCap({ params: { userId } }),
  });
