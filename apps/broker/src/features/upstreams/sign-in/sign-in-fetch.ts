import type { AllowEntry } from '#platform/http/outgoing/limited-entry.ts';
import { request } from 'undici';
import { RefusedAddressError } from '#platform/http/outgoing/address-guard.ts';
import { allowedAddresses, portOf } from '#platform/http/outgoing/allowed-addresses.ts';
import { createGuardedDispatcher } from '#platform/http/outgoing/guarded-fetch.ts';
import { orAborted } from '#platform/or-aborted.ts';
import { readBounded } from '#platform/http/outgoing/read-bounded.ts';
import { rewriteWithoutNull } from '#platform/http/outgoing/without-null-members.ts';
import { withOwnAddresses, type SignInAddress } from './sign-in-address.ts';
import { NoAnswer, SignInProblem } from './sign-in-problem.ts';

/**
 * Deadline of all requests of one step of a sign-in, such as a whole discovery, so that a slow server cannot block it.
 */
const stepTimeoutMs = 15_000;
/** Largest answer that is read: metadata, registrations and tokens are small. */
const maxAnswerBytes = 256 * 1024;

export type SignInRequest = {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
  /** Deadline of this request, if it is earlier than that of all requests. */
  timeoutMs?: number;
};

/**
 * Fetches from an address that a server or its authorization server named, and reads the whole answer, within limits.
 */
export type SignInFetch = (url: string, init?: SignInRequest) => Promise<Response>;

/** Describes an address that isSafeAddress refuses. */
export const unsafe = 'neither an https address nor one that the operator allows (UPSTREAM_ALLOW_ADDRESSES)';

/**
 * Returns whether an address may be used in a sign-in: https, or plain http if `allowAddresses` names it (host:port or
 * CIDR), as the demo service on this machine and a company's own servers need. The addresses of a name are checked on
 * use.
 */
export function isSafeAddress(address: string, allowAddresses: readonly AllowEntry[]): boolean {
  const url = URL.parse(address);
  if (!url || url.username !== '' || url.password !== '') return false;
  return (
    url.protocol === 'https:' ||
    (url.protocol === 'http:' && allowedAddresses(allowAddresses).mayHave(url.hostname, portOf(url)))
  );
}

/**
 * Runs `work` with a fetch that uses only public addresses and those allowed for this server's sign-in, follows no
 * redirect, and reads at most 256 KiB of each answer.
 * @param deadlineMs for all its requests together
 * @throws SignInProblem from the fetch for an address, a status or a size that is refused
 */
export async function withSignInFetch<T>(
  server: SignInAddress,
  work: (fetch: SignInFetch, own: SignInAddress) => Promise<T>,
  deadlineMs = stepTimeoutMs,
): Promise<T> {
  const signal = AbortSignal.timeout(deadlineMs);
  const own = await orAborted(withOwnAddresses(server), signal).catch((error: unknown) => {
    throw signal.aborted ? new SignInProblem('its address cannot be found in time', error) : error;
  });
  const { allowAddresses, outgoing } = own;
  const dispatcher = createGuardedDispatcher({
    allowAddresses,
    publicNeedsTls: true,
    connectTimeoutMs: 5_000,
    connections: 2,
    outgoing,
  });
  try {
    const fetch: SignInFetch = async (url, init = {}) => {
      const { timeoutMs } = init;
      const ended = timeoutMs === undefined ? signal : AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
      if (!isSafeAddress(url, allowAddresses)) throw new SignInProblem(`${url} is ${unsafe}`);
      const late = () => new NoAnswer(`${new URL(url).host} does not answer in time`);
      const answer = await request(url, {
        dispatcher,
        method: init.method === 'POST' ? 'POST' : 'GET',
        headers: { accept: 'application/json', ...init.headers },
        ...(init.body !== undefined && { body: init.body }),
        signal: ended,
      }).catch((error: unknown) => {
        if (ended.aborted) throw late();
        throw error instanceof RefusedAddressError ? refused(url, error) : error;
      });
      answer.body.on('error', () => {});
      const { statusCode: status } = answer;
      if (status < 200 || (status >= 300 && status < 400)) {
        answer.body.destroy();
        throw new SignInProblem(`${new URL(url).host} redirects, which is not followed`);
      }
      const headers = new Headers();
      for (const name of ['content-type', 'www-authenticate']) {
        const value = answer.headers[name];
        if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(', ') : value);
      }
      const body = await readBounded(answer.body, maxAnswerBytes, () => {
        return new SignInProblem(`${new URL(url).host} answers with more than ${maxAnswerBytes} bytes`);
      }).catch((error: unknown) => {
        throw ended.aborted ? late() : error;
      });
      const read = rewriteWithoutNull(body.toString('utf8')) ?? body;
      return new Response(status === 204 || status === 205 ? null : read, { status, headers });
    };
    return await work(fetch, own);
  } finally {
    await dispatcher.destroy();
  }
}

/**
 * Returns an error for the user: the address is not allowed. Its cause, for the log, says how the operator can allow
 * it.
 */
function refused(url: string, error: RefusedAddressError): SignInProblem {
  const cause = new Error(`${error.message}. ${error.remedy}`, { cause: error });
  return new SignInProblem(`${new URL(url).host} is not an address that this installation allows`, cause);
}
