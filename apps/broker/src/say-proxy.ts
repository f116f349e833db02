import type { OutgoingProxy } from '#platform/config/outgoing-proxy.ts';
import type { Log } from '#platform/log.ts';

/** Says at the start, in one line and without credentials, what a proxy on the way out means. */
export function sayProxy(proxy: OutgoingProxy | undefined, log: Log): void {
  if (!proxy) return;
  log.warn(
    { https: proxy.https?.url, http: proxy.http?.url, direct: proxy.noProxy },
    'requests leave by a proxy: it alone decides what is reached under names that cannot be resolved here',
  );
}
