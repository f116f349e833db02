import { z } from 'zod';

const configSchema = z.object({
  brandName: z.string().default('Souk'),
  supportEmail: z.string().default('support@souk.test'),
  businessEmail: z.string().default('business@souk.test'),
  publicUrl: z.string().default(window.location.origin),
});

/** The product's name, contacts and address, which the broker writes into a meta element of index.html. */
export const config = configSchema.parse(
  JSON.parse(document.querySelector('meta[name="souk-config"]')?.getAttribute('content') ?? '{}'),
);
