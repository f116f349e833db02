import { z } from 'zod';
import { flag, id, metadata, parameters, webAddress, whole } from './parameters.ts';

const lineItem = z.strictObject({ price: id, quantity: whole.pipe(z.number().min(1).max(999_999)).default(1) });

export const sessionParameters = parameters({
  mode: z.enum(['payment', 'subscription']),
  line_items: z.array(lineItem).min(1).max(20),
  success_url: webAddress,
  cancel_url: webAddress.optional(),
  customer: id.optional(),
  customer_email: z.string().max(512).optional(),
  client_reference_id: z.string().max(200).optional(),
  metadata: metadata.optional(),
  expires_at: whole.optional(),
  allowed_payment_method_types: z
    .array(z.enum(['card', 'sepa_debit']))
    .min(1)
    .optional(),
  allow_promotion_codes: flag.optional(),
  automatic_tax: z.strictObject({ enabled: flag }).optional(),
  billing_address_collection: z.enum(['auto', 'required']).optional(),
  customer_update: z
    .strictObject({ address: z.enum(['auto', 'never']).optional(), name: z.enum(['auto', 'never']).optional() })
    .optional(),
  tax_id_collection: z.strictObject({ enabled: flag }).optional(),
  adaptive_pricing: z.strictObject({ enabled: flag }).optional(),
  custom_text: z
    .strictObject({ submit: z.strictObject({ message: z.string().min(1).max(1200) }).optional() })
    .optional(),
  payment_intent_data: z.strictObject({ metadata: metadata.optional() }).optional(),
  subscription_data: z.strictObject({ metadata: metadata.optional() }).optional(),
  invoice_creation: z
    .strictObject({ enabled: flag, invoice_data: z.strictObject({ metadata: metadata.optional() }).optional() })
    .optional(),
});
export type SessionParameters = z.output<typeof sessionParameters>;
