import {
  CLIENT_CAPABILITIES_META_KEY,
  LOG_LEVEL_META_KEY,
  type Client,
  type RequestOptions,
} from '@modelcontextprotocol/client';
import { abortSignalOf } from '#platform/cancellation.ts';
import { startDeadline } from './call-deadline.ts';
import { checkLists, type ListMethod } from './checked-lists.ts';
import { listenForListChanges } from './list-changes.ts';
import { createLogLevel } from './log-level.ts';
import { listPages, promptLimits, resourceLimits, toolLimits, type ListLimits } from './list-pages.ts';
import { callFast } from '../fast/call-fast.ts';
import { slowMs } from '../fast/deadline.ts';
import { createFastChannel } from '../fast/fast-channel.ts';
import { goesFast } from '../fast/goes-fast.ts';
import { answerOf } from '../fast/read-answer.ts';
import { createResourceWatch } from './resource-watch.ts';
import { listenToServer } from './running-calls.ts';
import { withPassedMeta } from '../wire/tool-answer.ts';
import { toUpstreamError } from '../wire/translate-error.ts';
import type { CallOptions, ToolAnswer, ToolCallOptions, ToolParams, Upstream } from '../upstream.ts';
import type { OpenOptions } from './open-options.ts';
import { UpstreamError } from '../upstream-error.ts';
import type { UpstreamTransport } from '../transports/upstream-transport.ts';

/** The Upstream over a connected client. It owns the client: no other code may use it. */
export function createUpstream(client: Client, transport: UpstreamTransport, options: OpenOptions): Upstream {
  const era = client.getProtocolEra() ?? 'legacy';
  const capabilities = client.getServerCapabilities() ?? {};
  const never = new AbortController().signal;
  let closing: Promise<void> | undefined;
  let isClosing = false;
  const stopListening = listenForListChanges(client, options);
  const running = listenToServer(client, transport, options);
  const watch = createResourceWatch(client, options.notices);
  const logLevel = createLogLevel(client, options.log);
  const endpoint = transport.endpoint?.();
  /** Carries calls that need nothing from the SDK. Only HTTP upstreams have one. */
  const channel =
    endpoint &&
    createFastChannel(endpoint, era, client.getNegotiatedProtocolVersion() ?? '', running, options.notices.pace);
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the SDK has no addEventListener
  client.onclose = () => {
    stopListening();
    watch.endAll();
    if (!isClosing) options.onClosed?.(transport.ended?.message ?? 'the connection was closed');
  };

  /** Runs one request under both deadlines and turns every error into an UpstreamError. */
  async function run<T>(call: CallOptions, send: (request: RequestOptions) => Promise<T>): Promise<T> {
    if (isClosing) throw new UpstreamError('closed', 'the connection was closed');
    const totalMs = call.totalTimeoutMs;
    const deadline = startDeadline(abortSignalOf(call.signal), {
      silenceMs: Math.min(call.timeoutMs, totalMs),
      totalMs,
    });
    try {
      if (call.logLevel) await logLevel.want(call.logLevel);
      return await running.within(call, deadline, (entered) =>
        send({
          signal: deadline.signal,
          // never reached: our own deadline ends the call first
          timeout: totalMs + 60_000,
          ...(call.onProgress && { onprogress: (progress) => entered.progress(progress) }),
        }),
      );
    } catch (error) {
      // a request after the end makes the SDK throw a plain Error, "Not connected"
      const closed = isClosing
        ? (transport.ended ?? new UpstreamError('closed', 'the connection was closed', { cause: error }))
        : undefined;
      throw deadline.explain() ?? closed ?? toUpstreamError(error, transport.ended);
    } finally {
      deadline.dispose();
    }
  }

  async function callThroughClient(params: ToolParams, call: ToolCallOptions): Promise<ToolAnswer> {
    // Always passed: without a definition the SDK looks the tool up in its own list. The output schema is removed:
    // with it the SDK requires structured content even of an input_required answer.
    const { outputSchema: _, ...toolDefinition } = call.toolDefinition ?? {
      name: params.name,
      inputSchema: { type: 'object' as const },
    };
    const sent = withEnvelope(params, era, call);
    const slow = call.onSlow && setTimeout(() => call.onSlow?.(), slowMs);
    try {
      const result = await run(call, (request) =>
        client.callTool(sent, { ...request, allowInputRequired: true, toolDefinition }),
      );
      return answerOf(result, call);
    } finally {
      clearTimeout(slow);
    }
  }

  const lists = checkLists(transport, {
    isLegacy: era === 'legacy',
    mirrors: era === 'modern' && transport.endpoint !== undefined,
  });

  async function list<Item>(
    what: string,
    method: ListMethod,
    limits: ListLimits,
    fetchPage: (
      cursor: { cursor?: string },
      request: RequestOptions,
    ) => Promise<{ items: Item[]; nextCursor?: string | undefined }>,
  ): Promise<Item[]> {
    const { listTimeoutMs } = options;
    lists.begin(method);
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

    async listTools() {
      if (!capabilities.tools) return [];
      return list('tools', 'tools/list', toolLimits, async (params, request) => {
        const page = await client.request({ method: 'tools/list', params }, request);
        return { items: page.tools, nextCursor: page.nextCursor };
      });
    },
    async listPrompts() {
      if (!capabilities.prompts) return [];
      return list('prompts', 'prompts/list', promptLimits, async (params, request) => {
        const page = await client.request({ method: 'prompts/list', params }, request);
        return { items: page.prompts, nextCursor: page.nextCursor };
      });
    },
    async listResources() {
      if (!capabilities.resources) return [];
      return list('resources', 'resources/list', resourceLimits, async (params, request) => {
        const page = await client.request({ method: 'resources/list', params }, request);
        return { items: page.resources, nextCursor: page.nextCursor };
      });
    },
    async listResourceTemplates() {
      if (!capabilities.resources) return [];
      return list('resource templates', 'resources/templates/list', promptLimits, async (params, request) => {
        const page = await client.request({ method: 'resources/templates/list', params }, request);
        return { items: page.resourceTemplates, nextCursor: page.nextCursor };
      });
    },
    leftOut: lists.leftOut,

    callTool(params, call) {
      return channel && goesFast(params, call) ? callFast(channel, params, call) : callThroughClient(params, call);
    },
    async getPrompt(params, call) {
      const sent = withEnvelope(params, era, call);
      return run(call, async (request) =>
        withPassedMeta(await client.getPrompt(sent, { ...request, allowInputRequired: true })),
      );
    },
    async readResource(params, call) {
      const sent = withEnvelope(params, era, call);
      return run(call, async (request) =>
        withPassedMeta(await client.readResource(sent, { ...request, allowInputRequired: true, cacheMode: 'bypass' })),
      );
    },
    async complete(params, call) {
      // a server without completions has none to offer; the client made no mistake
      if (!capabilities.completions) return { completion: { values: [] } };
      const sent = withEnvelope(params, era, call);
      return run(call, async (request) => withPassedMeta(await client.complete(sent, request)));
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
        options.log.debug({ err: error }, 'an upstream did not accept the notice about changed roots');
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
        options.log.debug({ err: error }, 'an upstream did not close cleanly');
      });
      return closing;
    },
  };
}

/**
 * Adds the client's capabilities and log level to a request on a modern upstream connection, so that the server answers
 * -32021 only when the client lacks the capability (trap 5).
 */
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
