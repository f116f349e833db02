import type { Environment } from './environment.ts';

/** A proxy that requests leave by. */
export type ProxyServer = {
  /** Origin, without credentials. */
  url: string;
  /** What it wants as Proxy-Authorization. */
  authorization: string | undefined;
};

/** How requests leave this machine: HTTPS_PROXY, HTTP_PROXY, NO_PROXY. */
export type OutgoingProxy = {
  /** For https and wss. */
  https: ProxyServer | undefined;
  /** For http and ws. */
  http: ProxyServer | undefined;
  /** Hosts, domains and networks that are reached directly. */
  noProxy: readonly string[];
  /** The same for npm, which reads it from its environment. */
  variables: Readonly<Record<string, string>>;
};

/** What npm must not ask a proxy for, in its words. */
const loopbackHosts = 'localhost,127.0.0.1,[::1]';

/** @param problems one is added for each address that is no proxy's; it does not show the address, which may hold a password */
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

/** User and password, which an address holds percent-encoded; undefined where they are not. */
function decode({ username, password }: URL): string | undefined {
  try {
    return `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  } catch {
    return undefined;
  }
}
