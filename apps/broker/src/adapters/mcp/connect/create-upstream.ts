import type { Client } from '@modelcontextprotocol/client';
import { callFast } from '../fast/call-fast.ts';
import { createFastChannel } from '../fast/fast-channel.ts';
import { goesFast } from '../fast/goes-fast.ts';
import type { UpstreamTransport } from '../transports/upstream-transport.ts';
import type { Upstream } from '../upstream.ts';
import { UpstreamError } from '../upstream-error.ts';
import { withPassedMeta } from '../wire/tool-answer.ts';
import { toUpstreamError } from '../wire/translate-error.ts';
import { callThroughClient, withEnvelope } from './call-through-client.ts';
import { checkLists, promptList, resourceList, templateList, toolList } from './checked-lists.ts';
import { createClientRequests, type ClientRequests } from './client-requests.ts';
import { listenForListChanges } from './list-changes.ts';
import { dropNullContent } from './null-content.ts';
import type { OpenOptions } from './open-options.ts';
import { createResourceWatch } from './resource-watch.ts';

/** Wraps a connected client as an Upstream, which owns it: no other code may use the client. */
export function createUpstream(client: Client, transport: UpstreamTransport, options: OpenOptions): Upstream {
  const era = client.getProtocolEra() ?? 'legacy';
  const capabilities = client.getServerCapabilities() ?? {};
  const protocolVersion = client.getNegotiatedProtocolVersion() ?? '';
  const stopListening = listenForListChanges(client, options);
  if (era === 'legacy') dropNullContent(transport);
  const requests = createClientRequests(client, transport, options);
  const { run, runOwn, running } = requests;
  const watch = createResourceWatch(client, options.notices);
  const endpoint = transport.endpoint?.();
  /** Carries calls that need nothing from the SDK. Only HTTP upstreams have one. */
  const channel = endpoint && createFastChannel(endpoint, era, protocolVersion, running, options.notices.pace);
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the SDK has no addEventListener
  client.onclose = () => {
    stopListening();
    watch.endAll();
    if (!requests.isClosing()) options.onClosed?.(transport.ended);
  };

  return {
    era,
    protocolVersion,
    serverInfo: client.getServerVersion(),
    capabilities,
    instructions: client.getInstructions(),
    pid: transport.pid,
    ...createLists(client, transport, requests, options),

    callTool(params, call) {
      return channel && goesFast(params, call)
        ? callFast(channel, params, call)
        : callThroughClient(client, requests, era, params, call);
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
      await runOwn(timeoutMs, async (request) => (era === 'modern' ? client.discover(request) : client.ping(request)));
    },

    close: requests.close,
  };
}

/** The lists of an upstream, empty where its server lacks the capability. */
function createLists(
  client: Client,
  transport: UpstreamTransport,
  { runOwn }: Pick<ClientRequests, 'runOwn'>,
  { listTimeoutMs }: OpenOptions,
) {
  const isLegacy = (client.getProtocolEra() ?? 'legacy') === 'legacy';
  const { tools, prompts, resources } = client.getServerCapabilities() ?? {};
  const lists = checkLists(client, transport, { isLegacy, mirrors: !isLegacy && transport.endpoint !== undefined });

  async function list<Item>(capability: unknown, kind: Parameters<typeof lists.read<Item>>[0]): Promise<Item[]> {
    if (!capability) return [];
    return runOwn(listTimeoutMs, (request) => lists.read(kind, request));
  }

  /** Servers before 2026-07-28 may have tools without announcing any feature: SDK 1.x lists them. */
  const announcesNothing = isLegacy && !tools && !prompts && !resources;
  const unannouncedTools = () =>
    list(true, toolList).catch((error: unknown) => {
      if (error instanceof UpstreamError) return [];
      throw error;
    });

  return {
    listTools: () => (announcesNothing ? unannouncedTools() : list(tools, toolList)),
    listPrompts: () => list(prompts, promptList),
    listResources: () => list(resources, resourceList),
    listResourceTemplates: () => list(resources, templateList),
    leftOut: lists.leftOut,
    mended: lists.mended,
  };
}
