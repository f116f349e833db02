import type { Client } from '@modelcontextprotocol/client';
import type { ServerNotices } from '../notices/notice-limits.ts';
import { ResourceNotices } from '../notices/resource-notices.ts';
import type { ResourceWatcher } from '../upstream.ts';

const requestTimeoutMs = 10_000;

/**
 * Subscriptions to resources over one upstream connection: resources/subscribe up to 2025-11-25, a subscriptions/listen
 * stream for each resource since 2026-07-28. The server gets one subscription per URI, however many watchers it has.
 */
export function createResourceWatch(client: Client, server: ServerNotices) {
  const watchers = new Map<string, Map<ResourceWatcher, ResourceNotices>>();
  const isModern = client.getProtocolEra() === 'modern';

  client.setNotificationHandler('notifications/resources/updated', ({ params: { uri } }) => {
    for (const [watched, own] of watchers) {
      // a server may report a sub-resource of the subscribed one (server/resources, Subscriptions)
      if (uri !== watched && !uri.startsWith(watched.endsWith('/') ? watched : `${watched}/`)) continue;
      for (const notices of own.values()) notices.updated(uri);
    }
  });

  function remember(uri: string, watcher: ResourceWatcher): Map<ResourceWatcher, ResourceNotices> {
    const own = watchers.get(uri) ?? new Map<ResourceWatcher, ResourceNotices>();
    const notices = new ResourceNotices(server, (changed) => watcher.onUpdated(changed));
    watchers.set(uri, own.set(watcher, notices));
    return own;
  }

  function forget(uri: string, watcher: ResourceWatcher): boolean {
    const own = watchers.get(uri);
    own?.get(watcher)?.end();
    if (!own?.delete(watcher)) return false;
    if (own.size === 0) watchers.delete(uri);
    return true;
  }

  async function addLegacy(uri: string, watcher: ResourceWatcher): Promise<() => Promise<void>> {
    const own = remember(uri, watcher);
    try {
      if (own.size === 1) await client.subscribeResource({ uri }, { timeout: requestTimeoutMs });
    } catch (error) {
      forget(uri, watcher);
      throw error;
    }
    return async () => {
      if (!forget(uri, watcher) || watchers.has(uri)) return;
      await client.unsubscribeResource({ uri }, { timeout: requestTimeoutMs });
    };
  }

  async function addModern(uri: string, watcher: ResourceWatcher): Promise<() => Promise<void>> {
    const stop = new AbortController();
    const subscription = await client.listen(
      { resourceSubscriptions: [uri] },
      { timeout: requestTimeoutMs, signal: stop.signal },
    );
    remember(uri, watcher);
    void subscription.closed.then(() => {
      if (forget(uri, watcher)) watcher.onEnded();
    });
    return async () => {
      if (forget(uri, watcher)) stop.abort();
    };
  }

  return {
    /** Subscribes. Resolves with a function that unsubscribes; rejects when the server refuses. */
    add: isModern ? addModern : addLegacy,
    /** Call when the upstream connection has ended. */
    endAll(): void {
      const all = [...watchers.values()].flatMap((own) => [...own]);
      watchers.clear();
      for (const [watcher, notices] of all) {
        notices.end();
        watcher.onEnded();
      }
    },
  };
}
