import type { Environment } from './environment.ts';
import { isLoopback } from './is-loopback.ts';

/** stripe: real payments. sandbox: the stand-in for Stripe, no money moves. off: nothing is sold. */
export type Payments = 'stripe' | 'sandbox' | 'off';

const remedy =
  'set STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET, or PAYMENTS=off to sell nothing (or ALLOW_SANDBOX_PAYMENTS=1 to allow payments without money)';

/**
 * Chooses the payment provider. The stand-in, with which anyone can buy anything for free, is for this machine only: it is
 * refused in production and at other addresses.
 * @param problems gets the refusal
 */
export function readPayments(
  env: Pick<Environment, 'PAYMENTS' | 'ALLOW_SANDBOX_PAYMENTS'>,
  { hasStripe, production, publicUrl }: { hasStripe: boolean; production: boolean; publicUrl: URL },
  problems: string[],
): Payments {
  if (env.PAYMENTS === 'off') return 'off';
  if (hasStripe) return 'stripe';
  if (env.ALLOW_SANDBOX_PAYMENTS) return 'sandbox';
  if (production) problems.push(`The stand-in for Stripe is refused in production: ${remedy}`);
  else if (!isLoopback(publicUrl))
    problems.push(`PUBLIC_URL is not loopback, so the stand-in for Stripe is refused: ${remedy}`);
  return 'sandbox';
}
