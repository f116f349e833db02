import { ProtocolError, ResourceNotFoundError } from '@modelcontextprotocol/server';
import { findResource, type FoundResource } from '../find-resource.ts';
import { asProtocolError } from '../forward-other.ts';
import type { GatewayParts } from '../gateway-parts.ts';
import { visibleTo, type Person } from '../person.ts';

const maxPerUser = 200;
const firstRetryMs = 1000;
const longestRetryMs = 60_000;

/** Who wants to hear of which resource: each over a connection that is the person's own (gateway.md, trap 6). */
export type ResourceSubscriptions = {
  /**
   * Watches a resource until the returned function is called, over restarts of its server. `onUpdated` is told the
   * address under which the person knows it. A server that tells of no changes is watched in vain.
   * @throws ResourceNotFoundError for an address that this person cannot see; ProtocolError when its server is away
   */
  subscribe(person: Person, address: string, onUpdated: () => void): Promise<() => void>;
  stop(): void;
};

type Subscription = { userId: string; end: () => void };

export function createResourceSubscriptions(
  parts: Pick<GatewayParts, 'catalogue' | 'access' | 'pool' | 'publicUrl' | 'log'>,
): ResourceSubscriptions {
  const open = new Set<Subscription>();

  /** What the person may see at this moment: it is asked anew with every change, so that nothing outlives a right. */
  async function find(person: Person, address: string): Promise<FoundResource | undefined> {
    return findResource(person, await visibleTo(person, parts.catalogue.snapshot(), parts.access), address);
  }

  async function watch(
    person: Person,
    found: FoundResource,
    on: { updated(): void; ended(): void },
  ): Promise<() => void> {
    const { userId } = person.caller;
    const lease = await parts.pool.acquire(found.server, userId, { capabilities: person.capabilities, own: true });
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
      lease.release();
      throw error;
    }
  }

  return {
    async subscribe(person, address, onUpdated) {
      const { userId } = person.caller;
      const found = await find(person, address);
      if (!found) throw new ResourceNotFoundError(address);
      if ([...open].filter((other) => other.userId === userId).length >= maxPerUser) {
        throw new ProtocolError(-32603, `More than ${maxPerUser} subscriptions`);
      }
      let over = false;
      let stopWatching = () => {};
      let timer: NodeJS.Timeout | undefined;
      let retryMs = firstRetryMs;

      const begin = async (resource: FoundResource): Promise<void> => {
        const stop = await watch(person, resource, {
          updated: () => void find(person, address).then((still) => (still && !over ? onUpdated() : undefined)),
          ended: () => retry(),
        });
        retryMs = firstRetryMs;
        if (over) stop();
        else stopWatching = stop;
      };
      const retry = () => {
        if (over) return;
        timer = setTimeout(() => {
          find(person, address)
            .then((again) => again && begin(again))
            .catch((error: unknown) => {
              parts.log.debug({ err: error, server: found.server.id }, 'a subscription could not be taken up again');
              retry();
            });
        }, retryMs).unref();
        retryMs = Math.min(retryMs * 2, longestRetryMs);
      };
      const subscription: Subscription = {
        userId,
        end() {
          if (over) return;
          over = true;
          open.delete(subscription);
          clearTimeout(timer);
          stopWatching();
        },
      };
      open.add(subscription);
      try {
        await begin(found);
      } catch (error) {
        subscription.end();
        throw asProtocolError(error, found.server, parts);
      }
      return subscription.end;
    },

    stop() {
      for (const { end } of open) end();
    },
  };
}
