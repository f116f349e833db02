import { createOutgoingFetch } from '#adapters/openid/outgoing-fetch.ts';
import type { OutgoingProxy } from '#platform/config/outgoing-proxy.ts';
import { createOutgoingDispatcher } from '#platform/http/outgoing-dispatcher.ts';
import { createOutgoing, type Outgoing, type ResolveName } from '#platform/http/outgoing.ts';
import type { Log } from '#platform/log.ts';

/**
 * How requests leave, and what sends those to addresses that the operator named: a dispatcher, and a fetch for sign-in
 * providers. Says in one line, without credentials, what a proxy on the way means.
 */
export function connectOutgoing(proxy: OutgoingProxy | undefined, log: Log, resolve?: ResolveName) {
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
