import { seenProxyHeader } from '#platform/http/connections/seen-proxy.ts';
import { failed, passed, skipped, type Check } from './check.ts';

const addHeaders =
  'Let the proxy send X-Forwarded-For and X-Forwarded-Proto (nginx: proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for; ' +
  'proxy_set_header X-Forwarded-Proto $scheme;), and name its address in TRUST_PROXY.';

/** The broker itself does not speak TLS: for https there is a proxy, which must pass on the client's address and protocol. */
export const proxyCheck: Check = {
  id: 'proxy',
  name: "The proxy passes on the client's address",
  needs: ['address', 'public-url'],
  async run({ baseUrl }, http) {
    const [seen, proto] = (await http.send('/healthz')).header(seenProxyHeader)?.split(' ') ?? [];
    const secure = baseUrl.startsWith('https:');
    if (seen === undefined) return skipped('This version does not say how a request reached it.');
    if (seen === 'untrusted') {
      return failed(
        'TRUST_PROXY is missing or names another address: to the broker all requests come from the proxy, and share its limits.',
        'Set TRUST_PROXY to the address or the network from which the proxy connects (127.0.0.1 on the same machine), and restart.',
      );
    }
    if (seen === 'unnamed' || (seen === 'none' && secure)) {
      return failed(
        'The proxy does not send X-Forwarded-For: to the broker all requests come from the proxy, and share its limits.',
        addHeaders,
      );
    }
    if (secure && proto !== 'https') {
      return failed(
        proto === '-'
          ? 'The proxy does not send X-Forwarded-Proto: the broker cannot see that requests came by https.'
          : 'The proxy sends X-Forwarded-Proto: http, although requests came by https.',
        addHeaders,
      );
    }
    return passed(
      seen === 'none' ? 'The broker sees no proxy in between.' : "The broker sees the client's address and protocol.",
    );
  },
};
