import { isIP } from 'node:net';
import type { UpstreamError } from '#adapters/mcp/upstream-error.ts';
import { bareHost } from '#platform/http/outgoing/allowed-addresses.ts';
import type { AddressRule, ConnectionWatch } from '#platform/http/outgoing/connection-watch.ts';
import type { Progress } from './progress.ts';
import { failureText } from './test-failure.ts';

const shownAddresses = 8;

/** Reports the steps resolve, address, tls and connect of the handshake's connection. */
export type WatchedConnection = {
  watch: ConnectionWatch;
  failed(error: UpstreamError): void;
};

/**
 * Follows the first connection to an address, for the progress of a test.
 * @param service the demo service at this address
 */
export function watchConnection(url: URL, service: string | undefined, progress: Progress): WatchedConnection {
  const isSecure = url.protocol === 'https:' || url.protocol === 'wss:';
  let route = '';
  let tcpMs = 0;
  let beganAt = performance.now();

  function connect(ms: number): void {
    progress.begin('connect');
    progress.pass(route, ms);
    progress.begin('initialize');
  }

  return {
    watch: {
      resolved(addresses) {
        if (progress.current !== 'resolve') return;
        progress.pass(resolvedText(url, addresses));
        progress.begin('address');
      },
      allowed(rule) {
        if (progress.current !== 'address') return;
        progress.pass(
          service === undefined ? ruleText(rule) : `where the service ${service} of this installation runs`,
        );
        beganAt = performance.now();
        progress.begin('tls');
        if (isSecure) return;
        progress.skip('No TLS: the address is neither https nor wss.');
        progress.begin('connect');
      },
      connected({ address, proxy }) {
        tcpMs = performance.now() - beganAt;
        route = proxy === undefined ? address : `${address} through the proxy ${proxy}`;
        if (progress.current !== 'connect') return;
        progress.pass(route, tcpMs);
        progress.begin('initialize');
      },
      secured({ protocol, issuer = 'an unnamed authority', validUntil }) {
        if (progress.current !== 'tls') return;
        const until = validUntil === undefined ? '' : `, valid until ${validUntil}`;
        progress.pass(`${protocol}, certificate of ${issuer}${until}`, performance.now() - beganAt - tcpMs);
        connect(tcpMs);
      },
    },
    failed(error) {
      if (progress.current === 'tls' && route === '') {
        progress.skip('There is no connection to secure.');
        progress.begin('connect');
      }
      progress.fail(failureText(error));
    },
  };
}

function resolvedText({ hostname }: URL, addresses: readonly string[]): string {
  if (isIP(bareHost(hostname)) !== 0) return `${bareHost(hostname)} is an address`;
  if (addresses.length === 0) return `This machine does not know ${hostname}: the proxy resolves it`;
  const more = addresses.length - shownAddresses;
  return addresses.slice(0, shownAddresses).join(', ') + (more > 0 ? ` and ${more} more` : '');
}

function ruleText(rule: AddressRule): string {
  if (rule === 'public') return 'public';
  if (rule === 'proxy') return 'The proxy decides whether it may be reached';
  return rule.by === 'operator'
    ? `allowed by ${rule.entry} of UPSTREAM_ALLOW_ADDRESSES`
    : `allowed by ${rule.entry}, which an administrator added`;
}
