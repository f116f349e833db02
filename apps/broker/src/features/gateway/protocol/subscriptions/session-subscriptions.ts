import { ProtocolError, type Server } from '@modelcontextprotocol/server';
import type { RequestContext } from '../../view/request-context.ts';
import type { ResourceSubscriptions } from './resource-subscriptions.ts';

const maxPerSession = 100;

/** resources/subscribe and unsubscribe of a session up to 2025-11-25. They end with the session. */
export function serveSubscriptions(
  server: Server,
  context: RequestContext,
  subscriptions: ResourceSubscriptions,
): void {
  /** Undefined while the subscription is being made. */
  const open = new Map<string, (() => void) | undefined>();
  let closed = false;

  server.setRequestHandler('resources/subscribe', async ({ params: { uri } }) => {
    if (open.has(uri)) return {};
    if (open.size >= maxPerSession) throw new ProtocolError(-32603, `More than ${maxPerSession} subscriptions`);
    open.set(uri, undefined);
    const known = { ...context, capabilities: server.getClientCapabilities() };
    try {
      const stop = await subscriptions.subscribe(known, uri, () => void server.sendResourceUpdated({ uri }));
      // the client unsubscribed, or the session ended, in the meantime
      if (closed || !open.has(uri)) stop();
      else open.set(uri, stop);
    } catch (error) {
      open.delete(uri);
      throw error;
    }
    return {};
  });
  server.setRequestHandler('resources/unsubscribe', async ({ params: { uri } }) => {
    open.get(uri)?.();
    open.delete(uri);
    return {};
  });
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the SDK has no addEventListener
  server.onclose = () => {
    closed = true;
    for (const stop of open.values()) stop?.();
    open.clear();
  };
}
