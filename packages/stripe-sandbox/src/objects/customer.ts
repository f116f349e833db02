import { emit } from '../webhooks/emit-event.ts';
import type { Row, Work } from '../work.ts';
import type { Customer, Metadata } from './types.ts';

export const noAddress: NonNullable<Customer['address']> = {
  city: null,
  country: null,
  line1: null,
  line2: null,
  postal_code: null,
  state: null,
};

export function addCustomer(
  work: Work,
  given: {
    email: string | null;
    name: string | null;
    metadata: Metadata;
    description?: string | null;
    testClock?: string | null;
  },
): Row<'customer'> {
  const id = work.newId('customer');
  const row = work.add(
    'customer',
    {
      id,
      object: 'customer',
      address: null,
      balance: 0,
      created: work.time,
      currency: null,
      default_source: null,
      delinquent: false,
      description: given.description ?? null,
      discount: null,
      email: given.email,
      invoice_prefix: id.slice(4, 12).toUpperCase(),
      invoice_settings: { custom_fields: null, default_payment_method: null, footer: null, rendering_options: null },
      livemode: false,
      metadata: given.metadata,
      name: given.name,
      next_invoice_sequence: 1,
      phone: null,
      preferred_locales: [],
      shipping: null,
      tax_exempt: 'none',
      test_clock: given.testClock ?? null,
    },
    {},
  );
  emit(work, 'customer.created', row.body);
  return row;
}
