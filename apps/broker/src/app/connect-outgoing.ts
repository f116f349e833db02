import type { CustomFetch } from 'openid-client';
import type { Dispatcher } from 'undici';
import { createOutgoingFetch } from '#adapters/openid/outgoing-fetch.ts';
import type { OutgoingProxy } from '#platform/config/outgoing-proxy.ts';
import { createOutgoingDispatcher } from '#platform/http/outgoing/outgoing-dispatcher.ts';
import type { ResolveName } from '#platform/http/outgoing/name-lookups.ts';
import { createOutgoing, type Outgoing } from '#platform/http/outgoing/outgoing.ts';
import type { Log } from '#platform/log.ts';

export type Outbound = {
  outgoing: Outgoing;
  /** Sends requests to addresses that the operator named. */
  dispatcher: Dispatcher;
  /** Sends requests to sign-in providers and the payment provider. */
  fetch: CustomFetch;
};

/** Builds what outgoing requests are sent with. If they go through a proxy, logs what that means, without credentials. */
export function connectOutgoing(proxy: OutgoingProxy | undefined, log: Log, resolve?: ResolveName): Outbound {
  const outgoing: Outgoing = createOutgoing(proxy, resolve);
  const dispatcher = createOutgoingDispatcher(outgoing);
  if (proxy) {
    log.warn(
      { https: proxy.https?.url, http: proxy.http?.url, direct: proxy.noProxy },
      'requests leave through a proxy: for names that cannot be resolved here, the proxy alone decides what they reach',
    );
  }
  return { outgoing, dispatcher, fetch: createOutgoingFetch(dispatcher) };
}
