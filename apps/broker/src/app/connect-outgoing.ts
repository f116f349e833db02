import type { CustomFetch } from 'openid-client';
import type { Dispatcher } from 'undici';
import { createOutgoingFetch } from '#adapters/openid/outgoing-fetch.ts';
import type { OutgoingProxy } from '#platform/config/outgoing-proxy.ts';
import { createOutgoingDispatcher } from '#platform/http/outgoing/outgoing-dispatcher.ts';
import type { ResolveName } from '#platform/http/outgoing/name-lookups.ts';
import { createOutgoing, type Outgoing } from '#platform/http/outgoing/outgoing.ts';
import type { Log } from '#platform/log.ts';

export type Leaving = {
  /** How requests leave. */
  outgoing: Outgoing;
  /** Sends those to addresses that the operator named. */
  dispatcher: Dispatcher;
  /** The same for sign-in providers and the payment provider. */
  fetch: CustomFetch;
};

/** Says in one line, without credentials, what a proxy on the way means. */
export function connectOutgoing(proxy: OutgoingProxy | undefined, log: Log, resolve?: ResolveName): Leaving {
  const outgoing: Outgoing = createOutgoing(proxy, resolve);
  const dispatcher = createOutgoingDispatcher(outgoing);
  if (proxy) {
    log.warn(
      { https: proxy.https?.url, http: proxy.http?.url, direct: proxy.noProxy },
      'requests leave by a proxy: it alone decides what is reached under names that cannot be resolved here',
    );
  }
  return { outgoing, dispatcher, fetch: createOutgoingFetch(dispatcher) };
}
