import {
  ProtocolError,
  ResourceNotFoundError,
  type CompleteRequest,
  type CompleteResult,
} from '@modelcontextprotocol/server';
import type { Upstream } from '#adapters/mcp/upstream.ts';
import type { CatalogueServer } from '#features/catalogue/index.ts';
import type { GatewayParts } from '../gateway-parts.ts';
import { visibleTo } from '../view/visible.ts';
import { callOptions, type CallRequest } from './call-request.ts';
import { presentHidden, presentUpstreamError } from './present-failure.ts';
import { admit, exchange, leaveAfter } from './with-upstream.ts';

/** Completes an argument. Free and without a usage row: clients request completions on every keystroke. */
export async function completeArgument(
  request: CallRequest<CompleteRequest['params']>,
  parts: GatewayParts,
): Promise<CompleteResult> {
  const visible = await visibleTo(request.context, parts.catalogue.snapshot(), parts.view);
  const { ref } = request.params;
  if (ref.type === 'ref/prompt') {
    const prompt = visible.prompt(ref.name);
    const hidden = prompt ? undefined : visible.hidden('prompt', ref.name);
    if (hidden) throw presentHidden(hidden, 'prompt', parts);
    if (!prompt) throw new ProtocolError(-32602, `Unknown prompt: ${ref.name}`);
    return complete(request, prompt.server, { ...request.params, ref: { ...ref, name: prompt.item.name } }, parts);
  }
  const single = request.context.serverId !== undefined;
  const templateOf = ({ templates }: CatalogueServer) =>
    templates.find((item) => (single ? item.name : item.exposedName) === ref.uri);
  for (const server of visible.servers) {
    const template = templateOf(server);
    if (template) return complete(request, server, { ...request.params, ref: { ...ref, uri: template.name } }, parts);
  }
  const hidden = visible.hiddenServers.find(({ server }) => templateOf(server));
  throw hidden ? presentHidden({ ...hidden, name: ref.uri }, 'resource', parts) : new ResourceNotFoundError(ref.uri);
}

async function complete(
  request: CallRequest<unknown>,
  server: CatalogueServer,
  params: CompleteRequest['params'],
  parts: GatewayParts,
): Promise<CompleteResult> {
  const { context, signal } = request;
  try {
    const admission = await admit(server, context, parts.pool, signal);
    try {
      const send = (upstream: Upstream) => upstream.complete(params, callOptions(request, server, signal));
      const result = await exchange({ server }, context, parts.pool, send);
      admission.leave(undefined);
      return result;
    } catch (error) {
      leaveAfter(error, admission, signal);
      throw error;
    }
  } catch (error) {
    throw presentUpstreamError(error, server, parts);
  }
}
