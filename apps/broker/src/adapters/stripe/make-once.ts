import { SoukError } from '#platform/errors.ts';
import { ProviderFailure } from './provider-failure.ts';
import type { Stripe } from 'stripe';

/** Idempotency keys tried. Each further key follows a failure or refusal that the provider has stored. */
const maxKeys = 4;

/**
 * Creates an object at the payment provider once, however often this is called and by however many brokers. The provider
 * stores its own failures under the key, and also refusals that may no longer apply. After such an answer, this checks whether
 * the object was created anyway. If not, it is created under a key that follows from the failure, so that all brokers use the
 * same one.
 * @param make creates the object with the key of this attempt
 * @param find finds an object that was created although the answer was a failure
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
      const storedFrom = storedFromOf(error);
      if (storedFrom === undefined || attempt === maxKeys) throw error;
      const made = await find();
      if (made) return made;
      key = `${firstKey}:${storedFrom}`;
    }
  }
}

function storedFromOf(error: unknown): string | undefined {
  const cause = error instanceof SoukError ? error.cause : undefined;
  return cause instanceof ProviderFailure ? cause.storedFrom : undefined;
}
