import { z } from 'zod';

const configSchema = z.object({
  brandName: z.string().default('Souk'),
  supportEmail: z.string().default('support@souk.test'),
  businessEmail: z.string().default('business@souk.test'),
  publicUrl: z.string().default(window.location.origin),
});

/** What the broker tells its pages (a meta element of index.html): the product's name, contacts and address. */
export const config = configSchema.parse(
  JSON.parse(document.querySelector('meta[name="souk-config"]')?.getAttribute('content') ?? '{}'),
);
