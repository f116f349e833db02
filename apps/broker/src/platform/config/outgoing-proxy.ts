import type { Environment } from './environment.ts';

export type ProxyServer = {
  /** Origin, without credentials. */
  url: string;
  /** Value of the Proxy-Authorization header. */
  authorization: string | undefined;
};

/** The proxies for outgoing requests: HTTPS_PROXY, HTTP_PROXY, NO_PROXY. */
export type OutgoingProxy = {
  /** For https and wss. */
  https: ProxyServer | undefined;
  /** For http and ws. */
  http: ProxyServer | undefined;
  /** Hosts, domains and networks that are reached directly. */
  noProxy: readonly string[];
  /** The same as environment variables for npm. */
  variables: Readonly<Record<string, string>>;
};

/** Hosts that npm must reach directly, in the format of NO_PROXY. */
const loopbackHosts = 'localhost,127.0.0.1,[::1]';

/** @param problems gets one for each invalid address, without the address, which may contain a password */
export function readOutgoingProxy(env: Environment, problems: string[]): OutgoingProxy | undefined {
  const https = readProxy('HTTPS_PROXY', env, problems);
  const http = readProxy('HTTP_PROXY', env, problems);
  if (!https && !http) return undefined;
  return {
    https,
    http,
    noProxy: env.NO_PROXY,
    variables: {
      ...(env.HTTPS_PROXY !== undefined && { HTTPS_PROXY: env.HTTPS_PROXY }),
      ...(env.HTTP_PROXY !== undefined && { HTTP_PROXY: env.HTTP_PROXY }),
      NO_PROXY: [...env.NO_PROXY, loopbackHosts].join(','),
    },
  };
}

function readProxy(
  name: 'HTTPS_PROXY' | 'HTTP_PROXY',
  { [name]: text }: Environment,
  problems: string[],
): ProxyServer | undefined {
  if (text === undefined) return undefined;
  const url = URL.parse(text);
  const isOrigin = url?.pathname === '/' && url.search === '' && url.hash === '';
  const credentials = url ? decode(url) : undefined;
  if (!url || !['http:', 'https:'].includes(url.protocol) || !isOrigin || credentials === undefined) {
    problems.push(`${name} must be the http or https address of a proxy, such as http://proxy.example:3128`);
    return undefined;
  }
  const authorization = credentials === ':' ? undefined : `Basic ${Buffer.from(credentials).toString('base64')}`;
  return { url: url.origin, authorization };
}

/** Decodes `user:password`; undefined if the percent-encoding is invalid. */
function decode({ username, password }: URL): string | undefined {
  try {
    return `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  } catch {
    return undefined;
  }
}
