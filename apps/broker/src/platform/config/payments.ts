import type { Environment } from './environment.ts';
import { isLoopback } from './is-loopback.ts';

/** stripe: real payments. sandbox: the stand-in for Stripe, no money moves. off: nothing is sold. */
export type Payments = 'stripe' | 'sandbox' | 'off';

/**
 * Who takes the money. The stand-in, with which anyone can buy anything for nothing, is for this machine alone: production and
 * other addresses refuse it.
 * @param problems the objection is added here
 */
export function readPayments(
  env: Pick<Environment, 'PAYMENTS' | 'ALLOW_SANDBOX_PAYMENTS'>,
  given: { hasStripe: boolean; production: boolean; publicUrl: URL },
  problems: string[],
): Payments {
  if (env.PAYMENTS === 'off') return 'off';
  if (given.hasStripe) return 'stripe';
  if (given.production && !env.ALLOW_SANDBOX_PAYMENTS) {
    problems.push(
      'The stand-in for Stripe is refused in production: set STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET, or PAYMENTS=off to sell nothing (or ALLOW_SANDBOX_PAYMENTS=1 to allow payments without money)',
    );
  }
  if (!given.production && !isLoopback(given.publicUrl) && !env.ALLOW_SANDBOX_PAYMENTS) {
    problems.push(
      'PUBLIC_URL is not loopback, so the stand-in for Stripe is refused: set STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET, or PAYMENTS=off to sell nothing (or ALLOW_SANDBOX_PAYMENTS=1 to allow payments without money)',
    );
  }
  return 'sandbox';
}
