import { billingEndpoints } from '@souk/contract/billing/billing.ts';
import { paymentEndpoints } from '@souk/contract/billing/payments.ts';
import { priceRiseEndpoints } from '@souk/contract/billing/price-rises.ts';
import { createClient } from '@souk/contract/client.ts';
import { billingClientOptions } from '#web/loading/billing-client-options.ts';

/** A client of its own, so that only lazy screens load these schemas. */
export const billingApi = createClient(
  [...billingEndpoints, ...paymentEndpoints, ...priceRiseEndpoints] as const,
  billingClientOptions,
);
