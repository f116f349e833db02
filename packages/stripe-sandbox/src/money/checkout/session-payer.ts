import { noAddress } from '../../objects/customer.ts';
import type { Row, Work } from '../../work.ts';
import { appliedOf, type Pricing } from './discount.ts';
import { taxOfSession } from './session-totals.ts';

export async function pricingOfSession(work: Work, session: Row<'checkout.session'>): Promise<Pricing> {
  const { discount } = session.memory;
  return {
    discount: discount === undefined ? undefined : await appliedOf(work, discount),
    tax: taxOfSession(session),
  };
}

export function addressOf({ memory }: Row<'checkout.session'>) {
  if (!memory.address) return null;
  return { ...noAddress, country: memory.address.country, postal_code: memory.address.postalCode || null };
}

/** Updates the customer with the entered details as far as the session allows; renewals are taxed by them. */
export function keepAddress(
  work: Work,
  session: Row<'checkout.session'>,
  customer: Row<'customer'>,
  name: string | null,
): void {
  const { updates, taxId } = session.memory;
  if (updates?.address) customer.body.address = addressOf(session) ?? customer.body.address ?? null;
  if (updates?.name && name !== null) customer.body.name = name;
  if (session.body.tax_id_collection?.enabled) customer.memory.taxId = taxId;
  work.save(customer);
}
