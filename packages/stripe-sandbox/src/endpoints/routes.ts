import type { Route } from '../api/route.ts';
import { accountRoutes } from './account.ts';
import { balanceTransactionRoutes } from './balance-transactions.ts';
import { checkoutSessionRoutes } from './checkout-sessions.ts';
import { customerRoutes } from './customers.ts';
import { disputeRoutes } from './disputes.ts';
import { eventRoutes } from './events.ts';
import { invoiceItemRoutes } from './invoice-items.ts';
import { invoiceRoutes } from './invoices.ts';
import { paymentRoutes } from './payments.ts';
import { priceRoutes } from './prices.ts';
import { productRoutes } from './products.ts';
import { promotionCodeRoutes } from './promotion-codes.ts';
import { refundRoutes } from './refunds.ts';
import { subscriptionRoutes } from './subscriptions.ts';
import { testClockRoutes } from './test-clocks.ts';
import { webhookEndpointRoutes } from './webhook-endpoints.ts';

export function allRoutes(newSecret: () => string): readonly Route[] {
  return [
    ...accountRoutes,
    ...customerRoutes,
    ...balanceTransactionRoutes,
    ...productRoutes,
    ...priceRoutes,
    ...promotionCodeRoutes,
    ...checkoutSessionRoutes,
    ...subscriptionRoutes,
    ...invoiceRoutes,
    ...invoiceItemRoutes,
    ...paymentRoutes,
    ...refundRoutes,
    ...disputeRoutes,
    ...eventRoutes,
    ...webhookEndpointRoutes(newSecret),
    ...testClockRoutes,
  ];
}
