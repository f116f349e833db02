import { seenProxyHeader } from '#platform/http/connections/seen-proxy.ts';
import { failed, passed, skipped, type Check } from './check.ts';

const addHeaders =
  'Let the proxy send X-Forwarded-For and X-Forwarded-Proto (nginx: proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for; ' +
  'proxy_set_header X-Forwarded-Proto $scheme;), and name its address in TRUST_PROXY.';

/** The broker speaks no TLS itself: behind https there is a proxy, which must say who asks, and how. */
export const proxyCheck: Check = {
  id: 'proxy',
  name: 'The proxy says who asks',
  needs: ['address', 'public-url'],
  async run({ baseUrl }, http) {
    const [seen, proto] = (await http.send('/healthz')).header(seenProxyHeader)?.split(' ') ?? [];
    const secure = baseUrl.startsWith('https:');
    if (seen === undefined) return skipped('This version does not say how a request reached it.');
    if (seen === 'untrusted') {
      return failed(
        'TRUST_PROXY is missing or names another address: the broker takes all people for one, the proxy, and so their limits too.',
        'Set TRUST_PROXY to the address or the network from which the proxy connects (127.0.0.1 on the same machine), and restart.',
      );
    }
    if (seen === 'unnamed' || (seen === 'none' && secure)) {
      return failed(
        'The proxy does not send X-Forwarded-For: the broker takes all people for one, and so their limits too.',
        addHeaders,
      );
    }
    if (secure && proto !== 'https') {
      return failed(
        proto === '-'
          ? 'The proxy does not send X-Forwarded-Proto: the broker cannot see that people came by https.'
          : 'The proxy sends X-Forwarded-Proto: http, although people came by https.',
        addHeaders,
      );
    }
    return passed(
      seen === 'none' ? 'No proxy stands between, as far as the broker sees.' : 'The broker sees who asks, and how.',
    );
  },
};
