import { Agent } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { Stripe } from 'stripe';
import { SoukError } from '#platform/errors.ts';
import { isLiveKey } from './live-key.ts';
import { ProviderFailure, refusalText } from './provider-failure.ts';

export { makeOnce } from './make-once.ts';

/** Limit for one attempt. Retries reuse the Idempotency-Key, which the SDK adds if the caller gives none. */
const timeoutMs = 15_000;
const retries = 1;
/** Attempts while another request works on the same object at the provider: nothing was done, so the request can be repeated. */
const lockAttempts = 4;
const lockWaitMs = 250;
/** Webhooks older than this are refused, because they may be a replay. */
const toleranceSeconds = 300;

/** The provider's keys and address; the address is Stripe's own unless host, port and protocol are given. */
type ProviderAccess = {
  secretKey: string;
  webhookSecret: string;
  host?: string;
  port?: number;
  protocol?: 'http';
};

export type PaymentProvider = {
  /** If false, no money moves, and purchases grant nothing once a live key is set. */
  readonly livemode: boolean;
  /**
   * Makes requests through the SDK.
   * @throws SoukError payments_unavailable if the provider is unreachable or fails, payment_refused if it refuses and would
   *   refuse again; the cause is a ProviderFailure. payment_failed if the bank refuses the payment.
   */
  call<T>(request: (stripe: Stripe) => Promise<T>): Promise<T>;
  /** Like `call`, but returns undefined if the provider does not know the requested object. */
  find<T>(request: (stripe: Stripe) => Promise<T>): Promise<T | undefined>;
  /** Reads a webhook. @param body byte for byte. @returns undefined unless the provider signed it in the last 300 s */
  readEvent(body: Buffer, signature: string, nowMs: number): Stripe.Event | undefined;
  stop(): void;
};

type Send = (
  url: string,
  init: {
    method: string;
    headers: Record<string, string>;
    body: string | null;
    redirect: 'manual';
    signal?: AbortSignal;
  },
) => Promise<Response>;

/** @param send sends requests to Stripe, possibly through a proxy; the stand-in is called directly */
export function connectProvider({ secretKey, webhookSecret, ...at }: ProviderAccess, send: Send): PaymentProvider {
  const agent = new Agent({ keepAlive: true, maxSockets: 32 });
  const stripe = new Stripe(secretKey, {
    ...at,
    httpClient: at.host === undefined ? fetchClient(send) : Stripe.createNodeHttpClient(agent),
    timeout: timeoutMs,
    maxNetworkRetries: retries,
    telemetry: false,
    appInfo: { name: 'Souk' },
  });

  async function call<T>(request: (stripe: Stripe) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await request(stripe);
      } catch (error) {
        if (!(error instanceof Stripe.errors.StripeError)) throw error;
        if (error.code !== 'lock_timeout' || attempt === lockAttempts) throw toSoukError(error);
        await pause(lockWaitMs * attempt);
      }
    }
  }

  return {
    livemode: isLiveKey(secretKey),
    call,
    find: (request) =>
      call(request).catch((error: unknown) => {
        if (isMissing(failureOf(error))) return undefined;
        throw error;
      }),
    readEvent(body, signature, nowMs) {
      try {
        return stripe.webhooks.constructEvent(body, signature, webhookSecret, toleranceSeconds, undefined, nowMs);
      } catch {
        return undefined;
      }
    },
    stop: () => agent.destroy(),
  };
}

function fetchClient(send: Send) {
  return Stripe.createFetchHttpClient((url, { method = 'GET', headers, body, signal } = {}) =>
    send(String(url), {
      method,
      headers: Object.fromEntries(new Headers(headers)),
      body: typeof body === 'string' ? body : null,
      redirect: 'manual',
      ...(signal && { signal }),
    }),
  );
}

function toSoukError(error: InstanceType<typeof Stripe.errors.StripeError>): SoukError {
  const cause = new ProviderFailure(error);
  if (error instanceof Stripe.errors.StripeCardError)
    return new SoukError('payment_failed', { message: error.message, cause });
  if (isFinal(cause)) return new SoukError('payment_refused', { message: refusalText(cause), cause });
  return new SoukError('payments_unavailable', { cause });
}

function failureOf(error: unknown): ProviderFailure | undefined {
  const cause = error instanceof SoukError ? error.cause : undefined;
  return cause instanceof ProviderFailure ? cause : undefined;
}

/** Whether the provider answered with a refusal: it is reachable, and other requests may succeed. */
export function isRefusal(error: unknown): boolean {
  const failure = failureOf(error);
  return failure !== undefined && isFinal(failure);
}

function isFinal({ status = 0 }: ProviderFailure): boolean {
  // 409: the same request is running
  return status >= 400 && status < 500 && status !== 401 && status !== 409 && status !== 429;
}

const ownerNeeded = new Set(['subscription_payment_intent_requires_action', 'authentication_required']);

/** Whether the owner of the card has to confirm the payment, for example with 3-D Secure. */
export function needsOwner(error: unknown): boolean {
  return ownerNeeded.has(failureOf(error)?.code ?? '');
}

/** A 404 without this code is an endpoint that does not exist. */
function isMissing(failure: ProviderFailure | undefined): boolean {
  return failure?.code === 'resource_missing';
}

/** Whether a request named a customer that the provider no longer has. */
export function isOfMissingCustomer(error: unknown): boolean {
  const failure = failureOf(error);
  return isMissing(failure) && failure?.param === 'customer';
}
