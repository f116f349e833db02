import { SoukError } from '#platform/errors.ts';
import { ProviderFailure } from './provider-failure.ts';
import type { Stripe } from 'stripe';

/** Each further key is the answer to a failure or a refusal that the provider has kept. */
const mostKeys = 4;

/**
 * Makes something at the payment provider once, however often this is called and by however many brokers. A failure of the
 * provider's own, or a refusal whose cause may be gone, is kept under the key: what it made all the same is looked for, else it is made under a key that follows
 * from the failure, and so is the same for everybody.
 * @param make with the key of this attempt
 * @param find what an attempt that was answered with a failure has made
 * @throws SoukError payments_unavailable: call again later
 */
export async function makeOnce<T>(
  provider: { call<Answer>(request: (stripe: Stripe) => Promise<Answer>): Promise<Answer> },
  firstKey: string,
  make: (stripe: Stripe, idempotencyKey: string) => Promise<T>,
  find: () => Promise<T | undefined>,
): Promise<T> {
  let key = firstKey;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await provider.call((stripe) => make(stripe, key));
    } catch (error) {
      const keptFrom = keptFromOf(error);
      if (keptFrom === undefined || attempt === mostKeys) throw error;
      const made = await find();
      if (made) return made;
      key = `${firstKey}:${keptFrom}`;
    }
  }
}

function keptFromOf(error: unknown): string | undefined {
  const cause = error instanceof SoukError ? error.cause : undefined;
  return cause instanceof ProviderFailure ? cause.keptFrom : undefined;
}
