import { AsyncLocalStorage } from 'node:async_hooks';
import type { ServerResponse } from 'node:http';
import type { ServerEvent, ServerEventBus } from '@modelcontextprotocol/server';
import type { Log } from '#platform/log.ts';
import type { Person } from '../person.ts';
import type { ResourceSubscriptions } from './resource-subscriptions.ts';

const maxStreamsPerUser = 32;
const maxAddressesPerStream = 100;

/** subscriptions/listen (2026-07-28): the long answers over which clients hear of changes, each its own person's. */
export type ListenStreams = {
  /** For the SDK, which writes the streams. */
  readonly bus: ServerEventBus;
  /** Serves one such request by `serve`; false when the person has too many open. */
  open(person: Person, body: unknown, response: ServerResponse, serve: () => Promise<void>): Promise<boolean>;
  /** To one person's streams, or everybody's (undefined). */
  publish(event: ServerEvent, userId?: string): void;
  /** Ends the streams of a token that was revoked; all of them where it is not known which (undefined). */
  endForToken(tokenId: string | undefined): void;
};

type Stream = { person: Person; addresses: readonly string[]; response: ServerResponse };

export function createListenStreams(subscriptions: ResourceSubscriptions, log: Log): ListenStreams {
  const streams = new Set<Stream>();
  /** The SDK subscribes to its bus without saying for whom; the request in whose course it does so tells. */
  const current = new AsyncLocalStorage<Stream>();
  const listeners = new Map<(event: ServerEvent) => void, Stream>();

  function publish(event: ServerEvent, userId?: string): void {
    for (const [listener, { person }] of listeners) {
      if (userId === undefined || person.caller.userId === userId) listener(event);
    }
  }

  return {
    bus: {
      publish,
      subscribe(listener) {
        const stream = current.getStore();
        if (!stream) throw new Error('a subscription came without its person');
        listeners.set(listener, stream);
        let over = false;
        const stops: (() => void)[] = [];
        for (const address of stream.addresses) {
          subscriptions
            .subscribe(stream.person, address, () => listener({ kind: 'resource_updated', uri: address }))
            .then((stop) => (over ? stop() : stops.push(stop)))
            .catch((error: unknown) => log.debug({ err: error }, 'a resource cannot be listened to'));
        }
        return () => {
          over = true;
          listeners.delete(listener);
          for (const stop of stops) stop();
        };
      },
    },
    publish,
    async open(person, body, response, serve) {
      const own = [...streams].filter((stream) => stream.person.caller.userId === person.caller.userId);
      if (own.length >= maxStreamsPerUser) return false;
      const stream: Stream = { person, addresses: addressesOf(body), response };
      streams.add(stream);
      response.once('close', () => streams.delete(stream));
      await current.run(stream, serve);
      return true;
    },
    endForToken(tokenId) {
      for (const { person, response } of streams) {
        if (tokenId === undefined || person.caller.tokenId === tokenId) response.destroy();
      }
    },
  };
}

export function isListen(body: unknown): boolean {
  return isObject(body) && body['method'] === 'subscriptions/listen';
}

function addressesOf(body: unknown): string[] {
  const params = isObject(body) ? body['params'] : undefined;
  const filter = isObject(params) ? params['notifications'] : undefined;
  const addresses = isObject(filter) ? filter['resourceSubscriptions'] : undefined;
  if (!Array.isArray(addresses)) return [];
  return addresses.filter((address) => typeof address === 'string').slice(0, maxAddressesPerStream);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
