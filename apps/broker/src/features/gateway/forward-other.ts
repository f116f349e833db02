import {
  isInputRequiredResult,
  ProtocolError,
  ResourceNotFoundError,
  type CompleteRequest,
  type CompleteResult,
  type GetPromptRequest,
  type GetPromptResult,
  type InputRequiredResult,
  type ReadResourceRequest,
  type ReadResourceResult,
} from '@modelcontextprotocol/server';
import { UpstreamError } from '#adapters/mcp/upstream-error.ts';
import type { CatalogueServer } from '#features/catalogue/index.ts';
import type { UsageEvent } from '#features/usage/index.ts';
import { SignInRequiredError } from './ask-sign-in.ts';
import { failureCode, failureData, failureText, rateLimitText } from './call-failure.ts';
import { callOptions, type CallRequest } from './call-request.ts';
import { exposeLink } from './expose-links.ts';
import { findResource } from './find-resource.ts';
import type { GatewayParts } from './gateway-parts.ts';
import { visibleTo } from './person.ts';
import { recordCall } from './record-call.ts';
import { withUpstream } from './with-upstream.ts';

/** Prompts, resources and completions: the same way as a tool call, but failures are JSON-RPC errors. */

/** @throws ProtocolError -32602 for a prompt that this person cannot see */
export async function getPrompt(
  request: CallRequest<GetPromptRequest['params']>,
  parts: GatewayParts,
): Promise<GetPromptResult | InputRequiredResult> {
  const visible = await visibleTo(request.person, parts.catalogue.snapshot(), parts.access);
  const prompt = visible.prompt(request.params.name);
  if (!prompt) throw new ProtocolError(-32602, `Unknown prompt: ${request.params.name}`);
  const params = { ...request.params, name: prompt.item.name };
  const result = await logged(request, prompt.server, prompt.item.name, 'prompt', parts, () =>
    withUpstream(
      prompt.server,
      request.person,
      parts,
      (upstream) => upstream.getPrompt(params, callOptions(request, prompt.server)),
      request.signal,
    ),
  );
  if (isInputRequiredResult(result) || request.person.serverId !== undefined) return result;
  const messages = result.messages.map((message) => ({
    ...message,
    content: exposeLink(prompt.server, message.content),
  }));
  return { ...result, messages };
}

/** @throws ProtocolError -32002 or -32602, by the client's era, for an address that belongs to no server that this person can see */
export async function readResource(
  request: CallRequest<ReadResourceRequest['params']>,
  parts: GatewayParts,
): Promise<ReadResourceResult | InputRequiredResult> {
  const visible = await visibleTo(request.person, parts.catalogue.snapshot(), parts.access);
  const resource = findResource(request.person, visible, request.params.uri);
  if (!resource) throw resourceNotFound(request);
  const result = await logged(request, resource.server, resource.uri, 'resource', parts, () =>
    withUpstream(
      resource.server,
      request.person,
      parts,
      (upstream) =>
        upstream.readResource({ ...request.params, uri: resource.uri }, callOptions(request, resource.server)),
      request.signal,
    ),
  ).catch((error: unknown) => {
    throw isNotFound(error) ? resourceNotFound(request) : error;
  });
  if (isInputRequiredResult(result)) return result;
  return { ...result, contents: result.contents.map((part) => ({ ...part, uri: resource.expose(part.uri) })) };
}

/** Servers of both eras, and older ones than the codes: what was not there is said in the client's own terms. */
function isNotFound(error: unknown): boolean {
  if (!(error instanceof ProtocolError)) return false;
  return error.code === -32002 || (error.code === -32602 && /not found|unknown resource/i.test(error.message));
}

function resourceNotFound({ params: { uri }, clientCapabilities }: CallRequest<{ uri: string }>): ProtocolError {
  const code = clientCapabilities ? -32602 : -32002;
  return new ProtocolError(code, `Resource not found: ${uri}`, { uri });
}

/** Completions cost nothing and leave no usage row: clients ask for them with every key. */
export async function completeArgument(
  request: CallRequest<CompleteRequest['params']>,
  parts: GatewayParts,
): Promise<CompleteResult> {
  const visible = await visibleTo(request.person, parts.catalogue.snapshot(), parts.access);
  const { ref } = request.params;
  if (ref.type === 'ref/prompt') {
    const prompt = visible.prompt(ref.name);
    if (!prompt) throw new ProtocolError(-32602, `Unknown prompt: ${ref.name}`);
    return complete(request, prompt.server, { ...request.params, ref: { ...ref, name: prompt.item.name } }, parts);
  }
  for (const server of visible.servers) {
    const single = request.person.serverId !== undefined;
    const template = server.templates.find((item) => (single ? item.name : item.exposedName) === ref.uri);
    if (template) return complete(request, server, { ...request.params, ref: { ...ref, uri: template.name } }, parts);
  }
  throw new ResourceNotFoundError(ref.uri);
}

async function complete(
  request: CallRequest<unknown>,
  server: CatalogueServer,
  params: CompleteRequest['params'],
  parts: GatewayParts,
): Promise<CompleteResult> {
  try {
    return await withUpstream(
      server,
      request.person,
      parts,
      (upstream) => upstream.complete(params, callOptions(request, server)),
      request.signal,
    );
  } catch (error) {
    throw asProtocolError(error, server, parts);
  }
}

async function logged<T>(
  request: CallRequest<unknown>,
  server: CatalogueServer,
  name: string,
  kind: UsageEvent['kind'],
  parts: GatewayParts,
  exchange: () => Promise<T>,
): Promise<T> {
  const { caller } = request.person;
  const startedAtMs = parts.clock.now();
  if (!parts.withinRate(caller)) {
    recordCall(
      request.person,
      { server, kind, name },
      { outcome: 'refused', reason: 'rate_limited' },
      startedAtMs,
      parts,
    );
    const retryAfterSeconds = parts.retryAfterSeconds(caller);
    throw new ProtocolError(-32603, rateLimitText(retryAfterSeconds), { code: 'rate_limited', retryAfterSeconds });
  }
  const finish = (outcome: UsageEvent['outcome'], reason?: string) =>
    recordCall(request.person, { server, kind, name }, { outcome, reason }, startedAtMs, parts);
  try {
    const result = await exchange();
    finish('ok');
    return result;
  } catch (error) {
    const code = error instanceof UpstreamError ? (failureCode(error) ?? 'protocol_error') : 'unexpected';
    finish(request.signal.aborted ? 'cancelled' : 'failed', code);
    throw asProtocolError(error, server, parts);
  }
}

/** What an upstream's failure is to a client that gets no result for it. Anything else as it is. */
export function asProtocolError(
  error: unknown,
  server: CatalogueServer,
  { publicUrl }: Pick<GatewayParts, 'publicUrl'>,
): unknown {
  if (!(error instanceof UpstreamError)) return error;
  const code = failureCode(error);
  if (code === undefined) return new ProtocolError(error.code ?? -32603, error.message, error.data);
  if (code === 'sign_in_required') return new SignInRequiredError(server, { publicUrl });
  return new ProtocolError(-32603, failureText(code, server.manifest.name, error), failureData(code, error));
}
