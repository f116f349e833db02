import { ProtocolError, ResourceNotFoundError } from '@modelcontextprotocol/server';
import { UpstreamError } from '#adapters/mcp/upstream-error.ts';
import type { Catalogue } from '#features/catalogue/index.ts';
import type { Upstreams } from '#features/upstreams/index.ts';
import { Backoff } from '#platform/work/backoff.ts';
import type { Log } from '#platform/log.ts';
import { findHiddenResource, findResource, type FoundResource } from '../../view/find-resource.ts';
import { presentHidden, presentUpstreamError, type Links } from '../../call/present-failure.ts';
import type { PersonalView } from '../../view/personal-view.ts';
import type { RequestContext } from '../../view/request-context.ts';
import { visibleTo } from '../../view/visible.ts';

const maxPerUser = 200;

/** Subscriptions to resources, each over an upstream connection of its user (gateway.md, trap 6). */
export type ResourceSubscriptions = {
  /**
   * Watches a resource until the returned function is called, also across restarts of its server. For a server without
   * subscriptions, `onUpdated` is never called.
   * @throws ResourceNotFoundError for a URI that no server which this user may know has; ProtocolError when its server is
   *   switched off, not included or unreachable
   */
  subscribe(context: RequestContext, address: string, onUpdated: () => void): Promise<() => void>;
  /**
   * The same for a resource that was subscribed to in another process or before a restart: begins in the background, and
   * tries again while its server cannot be reached. One that the user has lost is not watched.
   * @param on.mayHaveChanged whether `onUpdated` is called once when it has begun
   */
  renew(context: RequestContext, address: string, on: { onUpdated(): void; mayHaveChanged: boolean }): () => void;
  stop(): void;
};

type Subscription = { userId: string; end: () => void };

export function createResourceSubscriptions(
  parts: Links & {
    catalogue: Pick<Catalogue, 'snapshot'>;
    view: PersonalView;
    pool: Upstreams['pool'];
    log: Log;
  },
): ResourceSubscriptions {
  const open = new Set<Subscription>();

  /** Finds the resource among those that the user sees now. Checked at every change: the user may have lost access. */
  async function find(context: RequestContext, address: string): Promise<FoundResource | undefined> {
    return findResource(context, await visibleTo(context, parts.catalogue.snapshot(), parts.view), address);
  }

  async function watch(
    context: RequestContext,
    found: FoundResource,
    on: { updated(): void; ended(): void },
  ): Promise<() => void> {
    const { userId } = context.caller;
    const lease = await parts.pool.acquire(found.server, userId, { capabilities: context.capabilities, own: true });
    const { upstream } = lease;
    if (!upstream.capabilities.resources?.subscribe) {
      lease.release();
      return () => {};
    }
    try {
      const stop = await upstream.watchResource(found.uri, {
        onUpdated: on.updated,
        onEnded() {
          lease.release();
          on.ended();
        },
      });
      return () => {
        stop()
          .catch((error: unknown) => parts.log.debug({ err: error }, 'an upstream could not be unsubscribed from'))
          .finally(lease.release);
      };
    } catch (error) {
      // tried again later, which must not meet the same lost session
      if (error instanceof UpstreamError && error.hasLostSession) lease.drop();
      lease.release();
      throw error;
    }
  }

  const isFull = (userId: string) => [...open].filter((other) => other.userId === userId).length >= maxPerUser;

  /** A subscription that has not begun yet. */
  function create(context: RequestContext, address: string, onUpdated: () => void) {
    let over = false;
    let stopWatching = () => {};
    let timer: NodeJS.Timeout | undefined;
    const backoff = new Backoff();

    const begin = async (resource: FoundResource): Promise<void> => {
      const stop = await watch(context, resource, {
        updated: () => void find(context, address).then((still) => (still && !over ? onUpdated() : undefined)),
        ended: () => later(),
      });
      if (over) stop();
      else stopWatching = stop;
    };
    const later = (onBegun?: () => void) => {
      if (!over) timer = setTimeout(() => void attempt(onBegun), backoff.next()).unref();
    };
    /** Begins with what the user sees now; tries again later where that fails. */
    const attempt = async (onBegun?: () => void): Promise<void> => {
      try {
        const found = await find(context, address);
        if (!found || over) return;
        await begin(found);
        if (!over) onBegun?.();
      } catch (error) {
        parts.log.debug({ err: error, address }, 'a subscription could not be renewed');
        later(onBegun);
      }
    };
    const subscription: Subscription = {
      userId: context.caller.userId,
      end() {
        if (over) return;
        over = true;
        open.delete(subscription);
        clearTimeout(timer);
        stopWatching();
      },
    };
    open.add(subscription);
    return { begin, attempt, end: subscription.end };
  }

  return {
    async subscribe(context, address, onUpdated) {
      const visible = await visibleTo(context, parts.catalogue.snapshot(), parts.view);
      const found = findResource(context, visible, address);
      const hidden = found ? undefined : findHiddenResource(context, visible, address);
      if (hidden) throw presentHidden(hidden, 'resource', parts);
      if (!found) throw new ResourceNotFoundError(address);
      if (isFull(context.caller.userId)) throw new ProtocolError(-32603, `More than ${maxPerUser} subscriptions`);
      const subscription = create(context, address, onUpdated);
      try {
        await subscription.begin(found);
      } catch (error) {
        subscription.end();
        throw presentUpstreamError(error, found.server, parts);
      }
      return subscription.end;
    },

    renew(context, address, { onUpdated, mayHaveChanged }) {
      if (isFull(context.caller.userId)) return () => {};
      const subscription = create(context, address, onUpdated);
      void subscription.attempt(mayHaveChanged ? onUpdated : undefined);
      return subscription.end;
    },

    stop() {
      for (const { end } of open) end();
    },
  };
}
