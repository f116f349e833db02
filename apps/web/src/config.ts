import { z } from 'zod';

const configSchema = z.object({
  brandName: z.string().default('Souk'),
  supportEmail: z.string().default('support@souk.test'),
  businessEmail: z.string().default('business@souk.test'),
  contactEmail: z.string().default('hello@souk.test'),
  publicUrl: z.string().default(window.location.origin),
  /** Whether money is taken by Stripe, by the stand-in for it, or not at all. */
  payments: z.enum(['stripe', 'sandbox', 'off']).default('off'),
  /** Payment pages add tax to prices, and take promotion codes. */
  addsTax: z.boolean().default(false),
  takesCodes: z.boolean().default(false),
  /** The pages whose text the operator gives. */
  legal: z.array(z.enum(['terms', 'privacy', 'refunds'])).default([]),
  /** How many credits a new account is given; 0: none. */
  welcomeCredits: z.int().default(0),
});

/** The product's name, contacts and address, which the broker writes into a meta element of index.html. */
export const config = configSchema.parse(
  JSON.parse(document.querySelector('meta[name="souk-config"]')?.getAttribute('content') ?? '{}'),
);

/** Whether plans, credits and rentals are sold here. Without it there are no prices and no way to buy. */
export const sells = config.payments !== 'off';
