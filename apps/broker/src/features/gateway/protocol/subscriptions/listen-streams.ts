import { AsyncLocalStorage } from 'node:async_hooks';
import type { ServerResponse } from 'node:http';
import {
  SERVER_INFO_META_KEY,
  SUBSCRIPTION_ID_META_KEY,
  type ServerEvent,
  type ServerEventBus,
} from '@modelcontextprotocol/server';
import { asRecord } from '#platform/json.ts';
import type { Log } from '#platform/log.ts';
import type { RequestContext } from '../../view/request-context.ts';
import { eventOf } from '../../wire/events.ts';
import type { IdentityOf } from '../server-identity.ts';
import type { ResourceSubscriptions } from './resource-subscriptions.ts';

const maxStreamsPerUser = 32;
const maxAddressesPerStream = 100;

type Stream = { context: RequestContext; id: unknown; addresses: readonly string[]; response: ServerResponse };

/** Serves subscriptions/listen (2026-07-28): long responses that notify clients of changes, each for one user. */
export function createListenStreams(subscriptions: ResourceSubscriptions, identityOf: IdentityOf, log: Log) {
  const streams = new Set<Stream>();
  /** The stream of the request that the SDK is serving: it subscribes to the bus without naming one. */
  const current = new AsyncLocalStorage<Stream>();
  const listeners = new Map<(event: ServerEvent) => void, Stream>();

  /** Ends a stream as the SDK does. The SDK itself can only end all streams, along with everything else. */
  function end({ context, id, response }: Stream): void {
    if (!response.headersSent || response.writableEnded) return;
    const _meta = { [SUBSCRIPTION_ID_META_KEY]: id, [SERVER_INFO_META_KEY]: identityOf(context.serverId) };
    const message = { jsonrpc: '2.0', id, result: { resultType: 'complete', _meta } };
    response.end(eventOf(JSON.stringify(message)));
  }

  const bus: ServerEventBus = {
    publish: (event) => publish(event),
    subscribe(listener) {
      const stream = current.getStore();
      if (!stream) throw new Error('the bus was subscribed to outside a listen request');
      listeners.set(listener, stream);
      let over = false;
      const stops: (() => void)[] = [];
      for (const address of stream.addresses) {
        subscriptions
          .subscribe(stream.context, address, () => listener({ kind: 'resource_updated', uri: address }))
          .then((stop) => (over ? stop() : stops.push(stop)))
          .catch((error: unknown) => log.debug({ err: error }, 'a resource cannot be subscribed to'));
      }
      return () => {
        over = true;
        listeners.delete(listener);
        for (const stop of stops) stop();
      };
    },
  };

  /** Publishes to the streams that the event concerns, by default to all. */
  function publish(event: ServerEvent, concerns: (context: RequestContext) => boolean = () => true): void {
    for (const [listener, { context }] of listeners) if (concerns(context)) listener(event);
  }

  return {
    /** The bus of the SDK, which writes the streams. */
    bus,
    publish,
    /** Serves one such request with `serve`; false if the user has too many open streams. */
    async open(
      context: RequestContext,
      body: unknown,
      response: ServerResponse,
      serve: () => Promise<void>,
    ): Promise<boolean> {
      const own = [...streams].filter((stream) => stream.context.caller.userId === context.caller.userId);
      if (own.length >= maxStreamsPerUser) return false;
      const stream: Stream = { context, id: asRecord(body)?.['id'], addresses: addressesOf(body), response };
      streams.add(stream);
      response.once('close', () => streams.delete(stream));
      await current.run(stream, serve);
      return true;
    },
    /** Ends the streams of a revoked token; all streams if the token is unknown (undefined). */
    endForToken(tokenId: string | undefined): void {
      for (const stream of streams) {
        if (tokenId === undefined) end(stream);
        else if (stream.context.caller.tokenId === tokenId) stream.response.destroy();
      }
    },
    tokens: (): string[] => [...streams].map(({ context }) => context.caller.tokenId),
    /** Ends all streams with the result that says so (2026-07-28, basic/utilities, Subscriptions). */
    endAll(): void {
      for (const stream of streams) end(stream);
    },
  };
}

export function isListen(body: unknown): boolean {
  return asRecord(body)?.['method'] === 'subscriptions/listen';
}

export function addressesOf(body: unknown): string[] {
  const params = asRecord(asRecord(body)?.['params']);
  const addresses = asRecord(params?.['notifications'])?.['resourceSubscriptions'];
  if (!Array.isArray(addresses)) return [];
  return addresses.filter((address) => typeof address === 'string').slice(0, maxAddressesPerStream);
}
