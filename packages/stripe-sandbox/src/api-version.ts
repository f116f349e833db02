import type Stripe from 'stripe';

/** Version that the SDK is pinned to; others would need other response shapes. */
export const apiVersion: Stripe.LatestApiVersion = '2026-10-28.endive';
