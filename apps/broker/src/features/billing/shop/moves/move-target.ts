import type { Query } from '#platform/db/database.ts';
import { SoukError } from '#platform/errors.ts';
import { findStoredOffer } from '../offers/offer-rows.ts';
import type { MoveTarget } from './preview-move.ts';

/**
 * Reads the plan that subscribers are moved to.
 * @throws SoukError not_found, invalid_request for an offer that is not a paid plan
 */
export async function readTarget(query: Query, planId: string): Promise<MoveTarget> {
  const offer = await findStoredOffer(query, planId);
  if (!offer) throw new SoukError('not_found', { message: `There is no offer ${planId}` });
  const { fields } = offer;
  if (fields.kind !== 'plan' || fields.amount === 0)
    throw new SoukError('invalid_request', { message: `${fields.name} has no subscribers who pay.` });
  if (!offer.active)
    throw new SoukError('invalid_request', { message: `${fields.name} is archived. Bring it back first.` });
  const { name, amount, currency, monthlyCredits } = fields;
  return { planId, name, amount, currency, monthlyCredits };
}

/** Finds the provider's price of the plan. @throws SoukError payments_unavailable where the provider does not have it yet */
export async function readPriceId(query: Query, livemode: boolean, target: MoveTarget): Promise<string> {
  const { planId, amount, currency, monthlyCredits } = target;
  const { rows } = await query<{ price_id: string }>(
    `select price_id from provider_prices where livemode = $1 and kind = 'plan' and offer_id = $2 and amount = $3
       and currency = $4 and monthly_credits = $5`,
    [livemode, planId, amount, currency, monthlyCredits],
  );
  const [known] = rows;
  if (!known)
    throw new SoukError('payments_unavailable', {
      message: 'The payment provider does not have the new price yet. Try again in a moment.',
    });
  return known.price_id;
}

/** @throws SoukError changed_since_shown where the plan has other terms than before */
export function requireSame(before: MoveTarget, now: MoveTarget): void {
  const isSame = (['amount', 'currency', 'monthlyCredits'] as const).every((name) => now[name] === before[name]);
  if (!isSame)
    throw new SoukError('changed_since_shown', {
      message: `${now.name} changed in the meantime. Nothing was done. Check the plan and try again.`,
    });
}
