import type { Environment } from './environment.ts';

/** stripe: real payments. sandbox: the stand-in for Stripe, no money moves. off: nothing is sold. */
export type Payments = 'stripe' | 'sandbox' | 'off';

/**
 * Who takes the money. Production refuses the stand-in, with which anyone can buy anything for nothing.
 * @param problems the objection is added here
 */
export function readPayments(
  env: Pick<Environment, 'PAYMENTS' | 'ALLOW_SANDBOX_PAYMENTS'>,
  given: { hasStripe: boolean; production: boolean },
  problems: string[],
): Payments {
  if (env.PAYMENTS === 'off') return 'off';
  if (given.hasStripe) return 'stripe';
  if (given.production && !env.ALLOW_SANDBOX_PAYMENTS) {
    problems.push(
      'The stand-in for Stripe is refused in production: set STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET, or PAYMENTS=off to sell nothing (or ALLOW_SANDBOX_PAYMENTS=1 to allow payments without money)',
    );
  }
  return 'sandbox';
}
