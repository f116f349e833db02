import type { Agent } from 'undici';
import { portOf } from './allowed-addresses.ts';
import { asConnector, openByProxy, openDirectly } from './open-socket.ts';
import { OutgoingAgent } from './outgoing-agent.ts';
import type { Outgoing } from './outgoing.ts';

const timeoutMs = 5000;

/**
 * An undici dispatcher for addresses that the operator named (sign-in providers, PUBLIC_URL), which may be private. It uses
 * the proxy, if there is one for them. Other addresses need createGuardedDispatcher.
 */
export function createOutgoingDispatcher(outgoing: Outgoing): Agent {
  return new OutgoingAgent({
    connect: asConnector(async (target) => {
      const to = { host: target.hostname, port: portOf(target), tls: target.protocol === 'https:' };
      const proxy = outgoing.proxyFor(to);
      return proxy ? openByProxy(proxy, target, { timeoutMs }) : openDirectly(target, { timeoutMs });
    }),
  });
}
