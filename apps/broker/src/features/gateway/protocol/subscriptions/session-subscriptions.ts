import { ProtocolError, type Server } from '@modelcontextprotocol/server';
import { asRecord } from '#platform/json.ts';
import type { RequestContext } from '../../view/request-context.ts';
import type { StoredSubscriptions } from '../sessions/stored-subscriptions.ts';
import type { ResourceSubscriptions } from './resource-subscriptions.ts';

export type SessionSubscriptions = ReturnType<typeof serveSubscriptions>;

export type SubscriptionParts = {
  resources: ResourceSubscriptions;
  stored: StoredSubscriptions;
  tellChanged(session: string): Promise<void>;
};

/**
 * Serves resources/subscribe and unsubscribe of one session up to 2025-11-25. The subscriptions are stored in its row. The
 * resources are watched by the process in which the client subscribed, and by the one that has the session's own stream.
 * @param session the hash of its id
 */
export function serveSubscriptions(
  server: Server,
  session: string,
  context: RequestContext,
  { resources, stored, tellChanged }: SubscriptionParts,
) {
  /** Functions that end the subscriptions here; undefined while one is being made. */
  const open = new Map<string, (() => void) | undefined>();
  let closed = false;

  const known = (): RequestContext => ({ ...context, capabilities: server.getClientCapabilities() });
  const tellUpdated = (uri: string) => void server.sendResourceUpdated({ uri });

  function end(uri: string): void {
    open.get(uri)?.();
    open.delete(uri);
  }

  server.setRequestHandler('resources/subscribe', async ({ params: { uri } }) => {
    if (open.has(uri)) return {};
    open.set(uri, undefined);
    let stop = () => {};
    try {
      stop = await resources.subscribe(known(), uri, () => tellUpdated(uri));
      if (!(await stored.add(session, uri))) throw new ProtocolError(-32603, 'This session has too many subscriptions');
    } catch (error) {
      stop();
      open.delete(uri);
      throw error;
    }
    // the client unsubscribed, or the session ended, in the meantime
    const isWanted = open.has(uri);
    if (isWanted) open.set(uri, stop);
    else stop();
    if (!isWanted && !closed) await stored.remove(session, uri);
    await tellChanged(session);
    return {};
  });
  server.setRequestHandler('resources/unsubscribe', async ({ params: { uri } }) => {
    await stored.remove(session, uri);
    end(uri);
    await tellChanged(session);
    return {};
  });
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the SDK has no addEventListener
  server.onclose = () => {
    closed = true;
    for (const stop of open.values()) stop?.();
    open.clear();
  };

  return {
    /**
     * Applies the session's row: ends what the client unsubscribed from in another process and, if the session's own stream is
     * open here, watches what it subscribed to there or before a restart.
     * @param mayHaveChanged whether to notify the client that each of these resources may have changed meanwhile
     */
    async follow({ isHeard, mayHaveChanged }: { isHeard: boolean; mayHaveChanged: boolean }): Promise<void> {
      const wanted = new Set(await stored.read(session));
      if (closed) return;
      for (const [uri, stop] of open) if (stop && !wanted.has(uri)) end(uri);
      if (!isHeard) return;
      for (const uri of wanted) {
        const on = { onUpdated: () => tellUpdated(uri), mayHaveChanged };
        if (!open.has(uri)) open.set(uri, resources.renew(known(), uri, on));
      }
    },
    /** Whether a message is a notice of a resource that this process watches: then it has notified the client itself. */
    isKnown(message: unknown): boolean {
      const { method, params } = asRecord(message) ?? {};
      const uri = asRecord(params)?.['uri'];
      return method === 'notifications/resources/updated' && typeof uri === 'string' && open.has(uri);
    },
  };
}
