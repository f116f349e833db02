import type Stripe from 'stripe';

/** The version that the SDK is pinned to: any other would be answered in another shape. */
export const apiVersion: Stripe.LatestApiVersion = '2026-10-28.endive';
