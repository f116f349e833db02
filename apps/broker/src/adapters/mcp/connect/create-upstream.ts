import {
  CLIENT_CAPABILITIES_META_KEY,
  LOG_LEVEL_META_KEY,
  type Client,
  type RequestOptions,
} from '@modelcontextprotocol/client';
import { abortSignalOf } from '#platform/cancellation.ts';
import { startDeadline } from './call-deadline.ts';
import { checkLists, promptList, resourceList, templateList, toolList } from './checked-lists.ts';
import { listenForListChanges } from './list-changes.ts';
import { createLogLevel } from './log-level.ts';
import { dropNullContent } from './null-content.ts';
import { callFast } from '../fast/call-fast.ts';
import { slowMs } from '../fast/deadline.ts';
import { createFastChannel } from '../fast/fast-channel.ts';
import { goesFast } from '../fast/goes-fast.ts';
import { answerOf } from '../fast/read-answer.ts';
import { createResourceWatch } from './resource-watch.ts';
import { listenToServer } from './running-calls.ts';
import { withPassedMeta } from '../wire/tool-answer.ts';
import { toUpstreamError, withWords } from '../wire/translate-error.ts';
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
  if (era === 'legacy') dropNullContent(transport);
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
    if (!isClosing) options.onClosed?.(transport.ended);
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
      throw deadline.explain() ?? closed ?? toUpstreamError(error, transport.ended, transport.sessionId !== undefined);
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
    } catch (error) {
      throw withWords(error);
    } finally {
      clearTimeout(slow);
    }
  }

  const lists = checkLists(client, transport, {
    isLegacy: era === 'legacy',
    mirrors: era === 'modern' && transport.endpoint !== undefined,
  });

  /** @param capability what the server must have for this list; without it there is nothing */
  async function list<Item>(capability: unknown, kind: Parameters<typeof lists.read<Item>>[0]): Promise<Item[]> {
    if (!capability) return [];
    const { listTimeoutMs } = options;
    return run({ signal: never, timeoutMs: listTimeoutMs, totalTimeoutMs: listTimeoutMs }, (request) =>
      lists.read(kind, request),
    );
  }

  /** Servers of before 2026-07-28 may have tools and say nothing of it: the SDK 1.x lists them. */
  const announcesNothing = era === 'legacy' && !capabilities.tools && !capabilities.prompts && !capabilities.resources;
  const unannouncedTools = () =>
    list(true, toolList).catch((error: unknown) => {
      if (error instanceof UpstreamError) return [];
      throw error;
    });

  return {
    era,
    protocolVersion: client.getNegotiatedProtocolVersion() ?? '',
    serverInfo: client.getServerVersion(),
    capabilities,
    instructions: client.getInstructions(),
    pid: transport.pid,

    listTools: () => (announcesNothing ? unannouncedTools() : list(capabilities.tools, toolList)),
    listPrompts: () => list(capabilities.prompts, promptList),
    listResources: () => list(capabilities.resources, resourceList),
    listResourceTemplates: () => list(capabilities.resources, templateList),
    leftOut: lists.leftOut,
    mended: lists.mended,

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
        throw toUpstreamError(error, transport.ended, transport.sessionId !== undefined);
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
