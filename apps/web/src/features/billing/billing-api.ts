import {
  getRentalOptions,
  getSpendCap,
  getSubscription,
  listCreditPackages,
  listMcpServices,
  listPlans,
  setSpendCap,
  startTrial,
} from '@souk/contract/billing/billing.ts';
import {
  cancelRental,
  cancelSubscription,
  changeCard,
  changeSubscription,
  getOpenPayment,
  getPaymentSession,
  listPaymentMethods,
  resumeRental,
  resumeSubscription,
  startCheckout,
} from '@souk/contract/billing/payments.ts';
import { approvePriceRises, listPriceRises } from '@souk/contract/billing/price-rises.ts';
import { createClient } from '@souk/contract/client.ts';
import { billingClientOptions } from '#web/loading/billing-client-options.ts';

/** The calls of this feature, in a client of their own: only lazy screens load their schemas. */
export const billingApi = createClient(
  [
    approvePriceRises,
    cancelRental,
    cancelSubscription,
    changeCard,
    changeSubscription,
    getOpenPayment,
    getPaymentSession,
    getRentalOptions,
    getSpendCap,
    getSubscription,
    listCreditPackages,
    listMcpServices,
    listPaymentMethods,
    listPlans,
    listPriceRises,
    resumeRental,
    resumeSubscription,
    setSpendCap,
    startCheckout,
    startTrial,
  ] as const,
  billingClientOptions,
);
