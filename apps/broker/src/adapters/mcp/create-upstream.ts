import {
  CLIENT_CAPABILITIES_META_KEY,
  LOG_LEVEL_META_KEY,
  SERVER_INFO_META_KEY,
  type Client,
  type RequestOptions,
  type Tool,
} from '@modelcontextprotocol/client';
import { startDeadline } from './call-deadline.ts';
import { faultOfHeaderArguments } from './header-arguments.ts';
import { listenForListChanges } from './list-changes.ts';
import { createLogLevel } from './log-level.ts';
import { listPages, promptLimits, resourceLimits, toolLimits, type ListLimits } from './list-pages.ts';
import { createPlainChannel } from './plain/plain-channel.ts';
import { createResourceWatch } from './resource-watch.ts';
import { listenToServer } from './running-calls.ts';
import { toUpstreamError } from './translate-error.ts';
import type { CallOptions, OpenOptions, Upstream } from './types.ts';
import { UpstreamError } from './upstream-error.ts';
import type { UpstreamTransport } from './upstream-transport.ts';

/** The Upstream over a connected client. Takes the client over: nobody else may use it. */
export function createUpstream(client: Client, transport: UpstreamTransport, options: OpenOptions): Upstream {
  const era = client.getProtocolEra() ?? 'legacy';
  const capabilities = client.getServerCapabilities() ?? {};
  const never = new AbortController().signal;
  const endpoint = transport.endpoint?.();
  let closing: Promise<void> | undefined;
  let isClosing = false;
  const stopListening = listenForListChanges(client, options);
  const running = listenToServer(client, transport, options);
  const watch = createResourceWatch(client);
  const logLevel = createLogLevel(client, options.log);
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the SDK has no addEventListener
  client.onclose = () => {
    stopListening();
    watch.endAll();
    if (!isClosing) options.onClosed?.(transport.ended?.message ?? 'the connection was closed');
  };

  /** Runs one request under both deadlines; whatever goes wrong becomes an UpstreamError. */
  async function run<T>(call: CallOptions, send: (request: RequestOptions) => Promise<T>): Promise<T> {
    if (isClosing) throw new UpstreamError('closed', 'the connection was closed');
    const totalMs = call.totalTimeoutMs;
    const deadline = startDeadline(call.signal, { silenceMs: Math.min(call.timeoutMs, totalMs), totalMs });
    const { onProgress } = call;
    try {
      if (call.logLevel) await logLevel.want(call.logLevel);
      return await running.within(call, deadline, () =>
        send({
          signal: deadline.signal,
          // never: the deadline is ours
          timeout: totalMs + 60_000,
          ...(onProgress && {
            onprogress: (progress) => {
              deadline.heard();
              onProgress(progress);
            },
          }),
        }),
      );
    } catch (error) {
      // the SDK says "Not connected" in a bare Error when a request comes after the end
      const closed = isClosing
        ? (transport.ended ?? new UpstreamError('closed', 'the connection was closed', { cause: error }))
        : undefined;
      throw deadline.explain() ?? closed ?? toUpstreamError(error, transport.ended);
    } finally {
      deadline.dispose();
    }
  }

  async function list<Item>(
    what: string,
    limits: ListLimits,
    fetchPage: (
      cursor: { cursor?: string },
      request: RequestOptions,
    ) => Promise<{ items: Item[]; nextCursor?: string | undefined }>,
  ): Promise<Item[]> {
    const { listTimeoutMs } = options;
    return run({ signal: never, timeoutMs: listTimeoutMs, totalTimeoutMs: listTimeoutMs }, (request) =>
      listPages(what, limits, (cursor) => fetchPage(cursor === undefined ? {} : { cursor }, request)),
    );
  }

  return {
    era,
    protocolVersion: client.getNegotiatedProtocolVersion() ?? '',
    serverInfo: client.getServerVersion(),
    capabilities,
    instructions: client.getInstructions(),
    pid: transport.pid,
    plain: endpoint && createPlainChannel(endpoint, era, client.getNegotiatedProtocolVersion() ?? '', running),

    async listTools() {
      if (!capabilities.tools) return [];
      const tools = await list('tools', toolLimits, async (params, request) => {
        const page = await client.request({ method: 'tools/list', params }, request);
        return { items: page.tools, nextCursor: page.nextCursor };
      });
      return era === 'modern' && transport.endpoint ? tools.filter(isCallable) : tools;
    },
    async listPrompts() {
      if (!capabilities.prompts) return [];
      return list('prompts', promptLimits, async (params, request) => {
        const page = await client.request({ method: 'prompts/list', params }, request);
        return { items: page.prompts, nextCursor: page.nextCursor };
      });
    },
    async listResources() {
      if (!capabilities.resources) return [];
      return list('resources', resourceLimits, async (params, request) => {
        const page = await client.request({ method: 'resources/list', params }, request);
        return { items: page.resources, nextCursor: page.nextCursor };
      });
    },
    async listResourceTemplates() {
      if (!capabilities.resources) return [];
      return list('resource templates', promptLimits, async (params, request) => {
        const page = await client.request({ method: 'resources/templates/list', params }, request);
        return { items: page.resourceTemplates, nextCursor: page.nextCursor };
      });
    },

    async callTool(params, call) {
      // always given: without one the SDK would ask its own list. Without the output schema: with one it demands
      // structured content even of an input_required answer.
      const { outputSchema: _, ...toolDefinition } = call.toolDefinition ?? {
        name: params.name,
        inputSchema: { type: 'object' as const },
      };
      const sent = withEnvelope(params, era, call);
      return run(call, async (request) =>
        withoutServerInfo(await client.callTool(sent, { ...request, allowInputRequired: true, toolDefinition })),
      );
    },
    async getPrompt(params, call) {
      const sent = withEnvelope(params, era, call);
      return run(call, async (request) =>
        withoutServerInfo(await client.getPrompt(sent, { ...request, allowInputRequired: true })),
      );
    },
    async readResource(params, call) {
      const sent = withEnvelope(params, era, call);
      return run(call, async (request) =>
        withoutServerInfo(
          await client.readResource(sent, { ...request, allowInputRequired: true, cacheMode: 'bypass' }),
        ),
      );
    },
    async complete(params, call) {
      // nothing to complete is an answer, not a fault of the person who asks
      if (!capabilities.completions) return { completion: { values: [] } };
      const sent = withEnvelope(params, era, call);
      return run(call, async (request) => withoutServerInfo(await client.complete(sent, request)));
    },

    async watchResource(uri, watcher) {
      try {
        return await watch.add(uri, watcher);
      } catch (error) {
        throw toUpstreamError(error, transport.ended);
      }
    },
    async announceRoots() {
      if (era === 'modern' || !options.clientCapabilities?.roots?.listChanged) return;
      await client.sendRootsListChanged().catch((error: unknown) => {
        options.log.debug({ err: error }, 'an upstream could not be told of changed roots');
      });
    },

    async ping(timeoutMs) {
      await run({ signal: never, timeoutMs, totalTimeoutMs: timeoutMs }, async (request) =>
        era === 'modern' ? client.discover(request) : client.ping(request),
      );
    },

    close() {
      isClosing = true;
      closing ??= transport.close().catch((error: unknown) => {
        options.log.debug({ err: error }, 'closing an upstream');
      });
      return closing;
    },
  };
}

function isCallable({ inputSchema }: Tool): boolean {
  return faultOfHeaderArguments(inputSchema) === undefined;
}

/** What the person's client can do and wants to hear goes with each request of a modern connection, so that -32021 is answered truly (trap 5). */
function withEnvelope<Params extends { _meta?: Record<string, unknown> | undefined }>(
  params: Params,
  era: string,
  { clientCapabilities, logLevel }: CallOptions,
): Params {
  if (era !== 'modern' || (!clientCapabilities && !logLevel)) return params;
  const { _meta: meta } = params;
  return {
    ...params,
    _meta: {
      ...meta,
      ...(clientCapabilities && { [CLIENT_CAPABILITIES_META_KEY]: clientCapabilities }),
      ...(logLevel && { [LOG_LEVEL_META_KEY]: logLevel }),
    },
  };
}

/** The upstream's name is not ours to pass on (trap 4). */
function withoutServerInfo<Result extends { _meta?: Record<string, unknown> | undefined }>(result: Result): Result {
  const { _meta: meta } = result;
  if (!meta || !(SERVER_INFO_META_KEY in meta)) return result;
  const { [SERVER_INFO_META_KEY]: _, ...rest } = meta;
  return { ...result, _meta: rest };
}
