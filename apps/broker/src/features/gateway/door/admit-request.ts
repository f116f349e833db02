import { serverIdSchema } from '@souk/contract/manifest/manifest-basics.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { SoukError } from '#platform/errors.ts';
import { isOpenedInBrowser, renderLinkPage, sendChallenge } from './challenge.ts';
import type { Door } from './door.ts';
import type { GatewayParts } from '../gateway-parts.ts';
import { sendTooMany } from './request-rate.ts';
import { sendJsonRpcError } from '../wire/json-rpc-error.ts';
import type { RequestContext } from '../view/request-context.ts';
import { visibleTo, type Visible } from '../view/visible.ts';
import { takeOver } from './take-over.ts';
import { sendUnknownLink } from './unknown-link.ts';

/** The facts about a request that are known before its body is read. */
export type Admitted = {
  context: RequestContext;
  /** The items that the caller may see; only read on a server's own link. */
  visible: Visible | undefined;
  /** The URL of this link's protected-resource metadata. */
  metadataUrl: string;
};

/** The link as the client called it. `slash` is what follows it: '/' or ''. */
export type CalledLink = { serverId: string | undefined; slash: string };

/**
 * The first steps of a request: origin -> token -> server. They run before the body is read, so that unauthorized callers
 * cannot make us buffer one.
 * @returns undefined when the request was refused and answered
 * @throws SoukError foreign_origin; unavailable while the broker stops
 */
export async function admitRequest(
  request: FastifyRequest,
  reply: FastifyReply,
  { serverId, slash }: CalledLink,
  door: Door,
): Promise<Admitted | undefined> {
  const { identity, events, parts } = door;
  const { publicUrl } = parts;
  checkOrigin(request, publicUrl);
  // the body of a POST tells whether it belongs to a running call (serve-request.ts)
  if (request.method !== 'POST') refuseWhileDraining(parts);

  // text that cannot be a server id is refused here, so that it never gets into a header
  if (serverId !== undefined && !serverIdSchema.safeParse(serverId).success) {
    sendUnknownLink(request, takeOver(reply), door);
    return undefined;
  }
  const path = serverId === undefined ? '/mcp' : `/s/${serverId}/mcp`;
  // RFC 9728, section 3.3: the document names the address that was called
  const metadataUrl = `${publicUrl}/.well-known/oauth-protected-resource${path}${slash}`;
  const authenticated = await identity.authenticateMcp(request.headers.authorization, `${publicUrl}${path}`);
  if ('challenge' in authenticated) {
    const { headers, ip: address } = request;
    events?.requestChallenged({ headers, address, resource: `${publicUrl}${path}` });
    const waitSeconds = headers.authorization ? await identity.guessWait(headers.authorization, address) : 0;
    if (waitSeconds > 0) {
      sendTooMany(takeOver(reply), waitSeconds, undefined);
      return undefined;
    }
    const page = isOpenedInBrowser(request.raw) ? renderLinkPage(publicUrl, door.brandName) : undefined;
    sendChallenge(takeOver(reply), authenticated.challenge, metadataUrl, page);
    return undefined;
  }

  const context: RequestContext = { caller: authenticated.caller, serverId };
  if (serverId === undefined) return { context, visible: undefined, metadataUrl };
  const snapshot = parts.catalogue.snapshot();
  if (!snapshot.byId.has(serverId)) {
    sendJsonRpcError(takeOver(reply), 404, -32001, 'Unknown server');
    return undefined;
  }
  // a server that the user may not use, or has switched off, shows nothing: protocol/closed-link.ts says why
  const visible = await visibleTo(context, snapshot, parts.view);
  return { context, visible, metadataUrl };
}

/** Lets a load balancer pick another replica; a single broker is back in a moment. @throws SoukError unavailable */
export function refuseWhileDraining({ isDraining }: Pick<GatewayParts, 'isDraining'>): void {
  if (isDraining()) throw new SoukError('unavailable');
}

/** Stops pages of other origins from reaching the link through the user's browser (MCP transports, security warning). */
function checkOrigin(request: FastifyRequest, publicUrl: string): void {
  const { origin } = request.headers;
  if (origin !== undefined && origin !== publicUrl) throw new SoukError('foreign_origin');
}
