import { SoukError } from '#platform/errors.ts';

/** The page that a payment may lead back to (specification part 1, section 7). */
const page = '/payment/result';
/** Filled in by the payment provider, which must get it unencoded. */
const sessionIdParameter = 'session_id={CHECKOUT_SESSION_ID}';

/**
 * Builds the addresses to which the payment provider sends the browser afterwards.
 * @param given addresses that the client asks for; undefined: our defaults
 * @throws SoukError invalid_request for an address that is not our payment result page
 */
export function returnAddresses(
  publicUrl: string,
  given: { successUrl?: string | undefined; cancelUrl?: string | undefined },
): { successUrl: string; cancelUrl: string } {
  const success = parametersOf(publicUrl, 'successUrl', given.successUrl);
  const cancel = parametersOf(publicUrl, 'cancelUrl', given.cancelUrl);
  success.delete('session_id');
  success.delete('canceled');
  cancel.delete('session_id');
  cancel.set('canceled', 'true');
  const rest = success.size === 0 ? '' : `${success}&`;
  return {
    successUrl: `${publicUrl}${page}?${rest}${sessionIdParameter}`,
    cancelUrl: `${publicUrl}${page}?${cancel}`,
  };
}

/** The parameters of an address of ours. The address itself is rebuilt, so that no other parser can read it differently. */
function parametersOf(publicUrl: string, name: string, given: string | undefined): URLSearchParams {
  if (given === undefined) return new URLSearchParams();
  const url = URL.parse(given);
  const isOurs = url?.origin === publicUrl && url.pathname === page && url.username === '' && url.password === '';
  if (!isOurs)
    throw new SoukError('invalid_request', { message: `${name}: must be an address of ${publicUrl}${page}` });
  return url.searchParams;
}
