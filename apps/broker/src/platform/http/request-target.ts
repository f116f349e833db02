import type { IncomingMessage } from 'node:http';

/** As a proxy is asked (RFC 9112, section 3.2.2): with the whole address. */
const absoluteForm = /^https?:\/\//i;

/** The target of a request as a server is asked. An address of another host stays whole: `namesOtherHost` refuses it. */
export function ownTarget(target: string, publicHost: string): string {
  if (!absoluteForm.test(target)) return target;
  const address = URL.parse(target);
  return address?.host === publicHost ? address.pathname + address.search : target;
}

/** Whether a request is for another host by its target, or names its host twice (RFC 9112, section 3.2). */
export function namesOtherHost({ url = '/', rawHeaders }: Pick<IncomingMessage, 'url' | 'rawHeaders'>): boolean {
  return absoluteForm.test(url) || hasTwoHosts(rawHeaders);
}

/** Of two, Node keeps the first, and a proxy before us may have judged the second. */
export function hasTwoHosts(rawHeaders: readonly string[]): boolean {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts++;
  }
  return hosts > 1;
}

/** Links answer a foreign host as such (security.md, row 4), in whichever form it comes. */
export function isMcpLink(target: string | undefined): boolean {
  return target?.split('?', 1)[0]?.endsWith('/mcp') === true;
}
