import { ProtocolError, ResourceNotFoundError } from '@modelcontextprotocol/server';
import { findHiddenResource, findResource } from '../../view/find-resource.ts';
import { presentHidden, presentUpstreamError } from '../../call/present-failure.ts';
import type { RequestContext } from '../../view/request-context.ts';
import { visibleTo } from '../../view/visible.ts';
import { Subscription, type SubscriptionParts } from './subscription.ts';

const maxPerUser = 200;

export type ResourceSubscriptions = ReturnType<typeof createResourceSubscriptions>;

/** Subscriptions to resources, each over an upstream connection of its user. */
export function createResourceSubscriptions(parts: SubscriptionParts) {
  const open = new Set<Subscription>();
  const isFull = (userId: string) => [...open].filter((other) => other.userId === userId).length >= maxPerUser;

  function create(context: RequestContext, address: string, onUpdated: () => void) {
    const subscription = new Subscription(context, address, onUpdated, parts);
    open.add(subscription);
    const end = () => {
      open.delete(subscription);
      subscription.end();
    };
    return { subscription, end };
  }

  return {
    /**
     * Watches a resource until the returned function is called, across restarts of its server. For a server without
     * subscriptions, `onUpdated` is never called.
     * @throws ResourceNotFoundError for a URI of no server that this user may know about; ProtocolError when its server is
     *   switched off, not included or unreachable
     */
    async subscribe(context: RequestContext, address: string, onUpdated: () => void): Promise<() => void> {
      const visible = await visibleTo(context, parts.catalogue.snapshot(), parts.view);
      const found = findResource(context, visible, address);
      const hidden = found ? undefined : findHiddenResource(context, visible, address);
      if (hidden) throw presentHidden(hidden, 'resource', parts);
      if (!found) throw new ResourceNotFoundError(address);
      if (isFull(context.caller.userId)) throw new ProtocolError(-32603, `More than ${maxPerUser} subscriptions`);
      const { subscription, end } = create(context, address, onUpdated);
      try {
        await subscription.begin(found);
      } catch (error) {
        end();
        throw presentUpstreamError(error, found.server, parts);
      }
      return end;
    },

    /**
     * Watches a resource that was subscribed to in another process or before a restart. Begins in the background, and retries
     * while the server is unreachable. Does nothing for a resource that the user no longer sees.
     * @param mayHaveChanged whether to call `onUpdated` once after the start
     */
    renew(
      context: RequestContext,
      address: string,
      { onUpdated, mayHaveChanged }: { onUpdated(): void; mayHaveChanged: boolean },
    ): () => void {
      if (isFull(context.caller.userId)) return () => {};
      const { subscription, end } = create(context, address, onUpdated);
      void subscription.attempt(mayHaveChanged ? onUpdated : undefined);
      return end;
    },

    stop(): void {
      for (const subscription of open) subscription.end();
      open.clear();
    },
  };
}
