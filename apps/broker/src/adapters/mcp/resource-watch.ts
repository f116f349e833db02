import type { Client } from '@modelcontextprotocol/client';

const requestTimeoutMs = 10_000;

/** One resource that somebody wants to hear of. */
export type ResourceWatcher = {
  /** The resource, or a part of it, changed. */
  onUpdated(uri: string): void;
  /** The server ended it, or the connection is gone. Not called after `stop`. */
  onEnded(): void;
};

export type ResourceWatch = {
  /** Subscribes; resolves with what ends it. Rejects when the server refuses. */
  add(uri: string, watcher: ResourceWatcher): Promise<() => Promise<void>>;
  /** The connection is over. */
  endAll(): void;
};

/**
 * Subscriptions to resources over one connection: resources/subscribe up to 2025-11-25, a subscriptions/listen stream of
 * its own since 2026-07-28. The server hears of each address once, however many watch it.
 */
export function createResourceWatch(client: Client): ResourceWatch {
  const watchers = new Map<string, Set<ResourceWatcher>>();
  const isModern = client.getProtocolEra() === 'modern';

  client.setNotificationHandler('notifications/resources/updated', ({ params: { uri } }) => {
    for (const [watched, those] of watchers) {
      // a server may name a part of what was subscribed to (server/resources, Subscriptions)
      if (uri !== watched && !uri.startsWith(watched.endsWith('/') ? watched : `${watched}/`)) continue;
      for (const watcher of those) watcher.onUpdated(uri);
    }
  });

  function forget(uri: string, watcher: ResourceWatcher): boolean {
    const those = watchers.get(uri);
    if (!those?.delete(watcher)) return false;
    if (those.size === 0) watchers.delete(uri);
    return true;
  }

  async function addLegacy(uri: string, watcher: ResourceWatcher): Promise<() => Promise<void>> {
    const those = watchers.get(uri) ?? new Set();
    watchers.set(uri, those.add(watcher));
    try {
      if (those.size === 1) await client.subscribeResource({ uri }, { timeout: requestTimeoutMs });
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
    watchers.set(uri, (watchers.get(uri) ?? new Set()).add(watcher));
    void subscription.closed.then(() => {
      if (forget(uri, watcher)) watcher.onEnded();
    });
    return async () => {
      if (forget(uri, watcher)) stop.abort();
    };
  }

  return {
    add: isModern ? addModern : addLegacy,
    endAll() {
      const all = [...watchers.values()].flatMap((those) => [...those]);
      watchers.clear();
      for (const watcher of all) watcher.onEnded();
    },
  };
}
