import { setTimeout as pause } from 'node:timers/promises';
import type { Gateway } from '#features/gateway/index.ts';
import type { Config } from '#platform/config.ts';
import type { Connections } from '#platform/http/connections/connections.ts';

/** How long running calls have after the grace of a stop, at least. */
const leastDrainMs = 20_000;
/** What is left of that for the calls that came last, when it is certain that no further one comes. */
const lastDrainMs = 5_000;
/** A proxy's clock and the network are a little late. */
const marginMs = 1_000;
/** Behind a proxy that keeps no connection, a request may be on its way on one that was just made. */
const firstRequestMs = 100;

type Times = Pick<Config, 'drainGraceMs' | 'proxyKeepAliveMs'>;

/** The longest that a stop lets requests go on after its grace. */
export function drainMsOf({ proxyKeepAliveMs }: Pick<Config, 'proxyKeepAliveMs'>): number {
  return Math.max(leastDrainMs, proxyKeepAliveMs + marginMs + 2 * lastDrainMs);
}

/**
 * Ends the serving of requests so that a proxy with other brokers loses none, even one that knows nothing of health checks:
 * grace -> no new connections, and what lasts ends -> connections settle -> calls drain (docs/decisions/0064).
 * /readyz has said 503 since before.
 */
export async function stopInOrder(
  { drainGraceMs, proxyKeepAliveMs }: Times,
  drainMs: number,
  parts: {
    connections: Connections;
    gateway: Pick<Gateway, 'letGo' | 'drain'>;
    /** Ends what lasts beside the gateway, and what other brokers take over. */
    letGo(): Promise<unknown>;
    /** No more requests come. */
    settled(): Promise<unknown>;
  },
): Promise<void> {
  const { connections, gateway } = parts;
  // load balancers see /readyz first: what they still send is served
  await pause(drainGraceMs);
  await connections.refuseNew();
  const endMs = performance.now() + drainMs;
  const leftMs = () => Math.max(marginMs, endMs - performance.now());
  gateway.letGo();
  await parts.letGo();
  // what proxies send on connections that they have is served too
  const opened = setInterval(gateway.letGo, marginMs);
  // without a grace there is no proxy that knows of other brokers
  const isProxied = drainGraceMs > 0 || proxyKeepAliveMs > 0;
  const idleMs = proxyKeepAliveMs > 0 ? proxyKeepAliveMs + marginMs : isProxied ? firstRequestMs : 0;
  await connections.settled(idleMs, Math.max(0, drainMs - lastDrainMs));
  await parts.settled();
  clearInterval(opened);
  gateway.letGo();
  await gateway.drain(leftMs());
  await connections.answered(leftMs());
}
