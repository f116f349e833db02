import { serverIdSchema } from '@souk/contract/manifest.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Identity } from '#features/identity/index.ts';
import { SoukError } from '#platform/errors.ts';
import { sendChallenge } from './challenge.ts';
import type { GatewayParts } from './gateway-parts.ts';
import { sendJsonRpcError } from './json-rpc-error.ts';
import { visibleTo, type Person, type Visible } from './person.ts';
import { takeOver } from './take-over.ts';

/** Who asks: known before any of the request's body is read. */
export type Admitted = {
  person: Person;
  /** What they may see, where that was asked: on the link of one server. */
  visible: Visible | undefined;
  /** Where the metadata of this link stands. */
  metadataUrl: string;
};

/**
 * The first steps of a request: origin -> token -> server. They look at its head alone, so that nobody who may not be
 * here makes us take in a body.
 * @returns undefined when the request was refused, and so answered
 * @throws SoukError foreign_origin; unavailable while the broker stops
 */
export async function admitRequest(
  request: FastifyRequest,
  reply: FastifyReply,
  serverId: string | undefined,
  options: {
    publicUrl: string;
    identity: Pick<Identity, 'authenticateMcp' | 'connectionLog'>;
    parts: Pick<GatewayParts, 'catalogue' | 'access'>;
    isDraining(): boolean;
  },
): Promise<Admitted | undefined> {
  const { publicUrl, identity, parts } = options;
  checkOrigin(request, publicUrl);
  // A load balancer sends the client to another replica; one alone will be back in a moment.
  if (options.isDraining()) throw new SoukError('unavailable');

  // what can be no id is nobody's, and is not written into a header
  if (serverId !== undefined && !serverIdSchema.safeParse(serverId).success) {
    sendJsonRpcError(takeOver(reply), 404, -32001, 'Unknown server');
    return undefined;
  }
  const path = serverId === undefined ? '/mcp' : `/s/${serverId}/mcp`;
  const metadataUrl = `${publicUrl}/.well-known/oauth-protected-resource${path}`;
  const authenticated = await identity.authenticateMcp(request.headers.authorization, `${publicUrl}${path}`);
  if ('challenge' in authenticated) {
    identity.connectionLog.challenged(request, `${publicUrl}${path}`);
    sendChallenge(takeOver(reply), authenticated.challenge, metadataUrl);
    return undefined;
  }

  const person: Person = { caller: authenticated.caller, serverId };
  if (serverId === undefined) return { person, visible: undefined, metadataUrl };
  const visible = await visibleTo(person, parts.catalogue.snapshot(), parts.access);
  if (visible.servers.length === 0) {
    sendJsonRpcError(takeOver(reply), 404, -32001, 'Unknown server');
    return undefined;
  }
  return { person, visible, metadataUrl };
}

/** A page of another origin may not use a person's browser to reach the link (MCP transports, security warning). */
function checkOrigin(request: FastifyRequest, publicUrl: string): void {
  const { origin } = request.headers;
  if (origin !== undefined && origin !== publicUrl) throw new SoukError('foreign_origin');
}
