import { z } from 'zod';

const configSchema = z.object({
  brandName: z.string().default('Souk'),
  supportEmail: z.string().default('support@souk.test'),
  businessEmail: z.string().default('business@souk.test'),
  contactEmail: z.string().default('hello@souk.test'),
  publicUrl: z.string().default(window.location.origin),
  /** The payment provider: Stripe or its stand-in. off: nothing is sold. */
  payments: z.enum(['stripe', 'sandbox', 'off']).default('off'),
  /** Payment pages add tax to prices, and accept promotion codes. */
  addsTax: z.boolean().default(false),
  takesCodes: z.boolean().default(false),
  legal: z.array(z.enum(['terms', 'privacy', 'refunds'])).default([]),
  /** Credits for a new account; 0: none. */
  welcomeCredits: z.int().default(0),
});

/** The product's name, contacts and address. The broker writes them into a meta element of index.html. */
export const config = configSchema.parse(
  JSON.parse(document.querySelector('meta[name="souk-config"]')?.getAttribute('content') ?? '{}'),
);

/** Whether plans, credits and rentals are sold here. If not, there are no prices and no way to buy. */
export const sells = config.payments !== 'off';
