import type { IncomingMessage } from 'node:http';

/** The absolute form, which clients send to proxies (RFC 9112, section 3.2.2). */
const absoluteForm = /^https?:\/\//i;

/** Converts an absolute target to path and query. A target of another host stays as it is: `namesOtherHost` refuses it. */
export function ownTarget(target: string, publicHost: string): string {
  if (!absoluteForm.test(target)) return target;
  const address = URL.parse(target);
  return address?.host === publicHost ? address.pathname + address.search : target;
}

/** Whether a request's target names another host, or it has two Host headers (RFC 9112, section 3.2). */
export function namesOtherHost({ url = '/', rawHeaders }: Pick<IncomingMessage, 'url' | 'rawHeaders'>): boolean {
  return absoluteForm.test(url) || hasTwoHosts(rawHeaders);
}

/** Whether there are two Host headers. Node keeps the first, while a proxy may have checked the second. */
export function hasTwoHosts(rawHeaders: readonly string[]): boolean {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts++;
  }
  return hosts > 1;
}

/** Whether a target is an MCP link, where both forms of naming another host are refused as foreign_host. */
export function isMcpLink(target: string | undefined): boolean {
  return target?.split('?', 1)[0]?.endsWith('/mcp') === true;
}
