import { SoukError } from '#platform/errors.ts';
import { findCustomer } from '../../changes/find-payer.ts';
import type { ShopParts } from '../../shop-parts.ts';

/**
 * Opens the provider's page where users choose another card; it leads back to their billing, or to the plan that they were
 * about to change to.
 * @throws SoukError not_found where they have never paid, payment_refused where the provider's account has no portal
 */
export async function openPortal(
  { provider, db, publicUrl }: Pick<ShopParts, 'provider' | 'db' | 'publicUrl'>,
  userId: string,
  { planId }: { planId?: string | undefined } = {},
): Promise<{ portalUrl: string }> {
  const back = planId === undefined ? '/dashboard?tab=billing' : `/plans?buy=${encodeURIComponent(planId)}`;
  const customer = await findCustomer(db.query, userId, provider.livemode);
  if (customer === undefined) throw new SoukError('not_found', { message: 'You have not paid for anything yet' });
  const { url } = await provider.call((stripe) =>
    stripe.billingPortal.sessions.create({
      customer,
      return_url: `${publicUrl}${back}`,
      flow_data: { type: 'payment_method_update' },
    }),
  );
  return { portalUrl: url };
}
