import { setTimeout as pause } from 'node:timers/promises';
import type { Gateway } from '#features/gateway/index.ts';
import type { Config } from '#platform/config.ts';
import type { Connections } from '#platform/http/connections/connections.ts';

/** Minimum time for running calls after the grace period of a stop. */
const leastDrainMs = 20_000;
/** Part of that time reserved for the last calls, once no further one can arrive. */
const lastDrainMs = 5_000;
/** Allowance for the proxy's clock and the network. */
const marginMs = 1_000;
/** Wait for the first request on a connection that a proxy without keep-alive has just opened. */
const firstRequestMs = 100;

type Times = Pick<Config, 'drainGraceMs' | 'proxyKeepAliveMs'>;

/** Returns the longest time that a stop lets requests run after its grace period. */
export function drainMsOf({ proxyKeepAliveMs }: Pick<Config, 'proxyKeepAliveMs'>): number {
  return Math.max(leastDrainMs, proxyKeepAliveMs + marginMs + 2 * lastDrainMs);
}

/**
 * Stops serving requests so that a proxy with other brokers loses none, even if it makes no health checks:
 * grace -> no new connections, long-lived requests end -> connections become idle -> calls drain (docs/decisions/0064).
 * /readyz already answers 503.
 */
export async function stopInOrder(
  { drainGraceMs, proxyKeepAliveMs }: Times,
  drainMs: number,
  parts: {
    connections: Connections;
    gateway: Pick<Gateway, 'endLongRequests' | 'drain'>;
    /** Ends long-lived work outside the gateway, and work that other brokers take over. */
    endBackground(): Promise<unknown>;
    /** Called when no more requests arrive. */
    settled(): Promise<unknown>;
  },
): Promise<void> {
  const { connections, gateway } = parts;
  // serves requests that load balancers send before they see /readyz
  await pause(drainGraceMs);
  await connections.refuseNew();
  const endMs = performance.now() + drainMs;
  const leftMs = () => Math.max(marginMs, endMs - performance.now());
  gateway.endLongRequests();
  await parts.endBackground();
  // also ends long-lived requests that proxies still open on their connections
  const opened = setInterval(gateway.endLongRequests, marginMs);
  // without a grace period there is no proxy with other brokers
  const isProxied = drainGraceMs > 0 || proxyKeepAliveMs > 0;
  const idleMs = proxyKeepAliveMs > 0 ? proxyKeepAliveMs + marginMs : isProxied ? firstRequestMs : 0;
  await connections.settled(idleMs, Math.max(0, drainMs - lastDrainMs));
  await parts.settled();
  clearInterval(opened);
  gateway.endLongRequests();
  await gateway.drain(leftMs());
  await connections.answered(leftMs());
}
