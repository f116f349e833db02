import { ProtocolError, type Result } from '@modelcontextprotocol/server';
import type { GatewayParts } from '../gateway-parts.ts';
import { hiddenErrorCode, hiddenText, serviceUrl } from '../view/hidden-text.ts';
import type { WhyHidden } from '../view/personal-view.ts';
import type { RequestContext } from '../view/request-context.ts';

export type ClosedLink = { code: WhyHidden; text: string; url: string };

/**
 * Says why a server's own link shows this user nothing: the server is not included in what they may use, or is switched off.
 * This reveals nothing, since the shop lists every deployed server. Undefined while the link is open, and for servers that
 * are not deployed.
 */
export async function whyClosed(
  { caller, serverId }: RequestContext,
  { catalogue, view, publicUrl, howToGet }: Pick<GatewayParts, 'catalogue' | 'view' | 'publicUrl' | 'howToGet'>,
): Promise<ClosedLink | undefined> {
  const server = serverId === undefined ? undefined : catalogue.snapshot().byId.get(serverId);
  const code = server && (await view(caller.userId)).whyHidden(server);
  if (!code) return undefined;
  const url = serviceUrl(publicUrl, server);
  return { code, text: hiddenText(code, server, { url, howToGet }), url };
}

/**
 * Answers a request at a closed link (docs/decisions/0015-links-without-access.md). The handshake succeeds, with the reason as
 * instructions; the list of tools fails with the reason, which clients show. run-call refuses the calls.
 * @param proceed what an open link would answer
 * @throws ProtocolError with the reason
 */
export async function answerClosed(
  method: string,
  { text, ...data }: ClosedLink,
  proceed: () => Promise<Result>,
): Promise<Result> {
  switch (method) {
    case 'initialize':
    case 'server/discover':
      return { ...(await proceed()), instructions: text };
    case 'tools/list':
      throw new ProtocolError(hiddenErrorCode, text, data);
    default:
      return proceed();
  }
}
