import {
  specTypeSchemas,
  type Client,
  type JSONRPCMessage,
  type RequestOptions,
  type SpecTypes,
  type StandardSchemaV1Sync,
} from '@modelcontextprotocol/client';
import { z } from 'zod';
import type { LeftOut, MendedTool } from '../upstream.ts';
import { UpstreamError } from '../upstream-error.ts';
import { eachInTurns } from '#platform/work/in-turns.ts';
import { isRecord } from '#platform/json.ts';
import type { UpstreamTransport } from '../transports/upstream-transport.ts';
import { isObjectSchema, readDefinition } from './definition-fault.ts';
import { faultOfHeaderArguments } from './header-arguments.ts';
import { withSoundSchemas } from './sound-schema.ts';
import { withObjectTypes } from './with-object-types.ts';
import { listPages, promptLimits, resourceLimits, toolLimits, type ListLimits } from './list-pages.ts';

/** One of a server's lists: how to request it, where the answer has the definitions, and its limits. */
type ListKind<Item> = {
  method: 'tools/list' | 'prompts/list' | 'resources/list' | 'resources/templates/list';
  member: string;
  kind: LeftOut['kind'];
  /** The field that names a definition. */
  key: 'name' | 'uri' | 'uriTemplate';
  schema: StandardSchemaV1Sync<unknown, Item>;
  limits: ListLimits;
};

export const toolList: ListKind<SpecTypes['Tool']> = {
  method: 'tools/list',
  member: 'tools',
  kind: 'tool',
  key: 'name',
  schema: specTypeSchemas.Tool,
  limits: toolLimits,
};
export const promptList: ListKind<SpecTypes['Prompt']> = {
  method: 'prompts/list',
  member: 'prompts',
  kind: 'prompt',
  key: 'name',
  schema: specTypeSchemas.Prompt,
  limits: promptLimits,
};
export const resourceList: ListKind<SpecTypes['Resource']> = {
  method: 'resources/list',
  member: 'resources',
  kind: 'resource',
  key: 'uri',
  schema: specTypeSchemas.Resource,
  limits: resourceLimits,
};
export const templateList: ListKind<SpecTypes['ResourceTemplate']> = {
  method: 'resources/templates/list',
  member: 'resourceTemplates',
  kind: 'template',
  key: 'uriTemplate',
  schema: specTypeSchemas.ResourceTemplate,
  limits: promptLimits,
};

const memberOf: ReadonlyMap<string, string> = new Map(
  [toolList, promptList, resourceList, templateList].map(({ method, member }) => [method, member]),
);

/** List requests to remember until their answers arrive. A request that timed out is never answered. */
const maxOpen = 32;
/** Definitions on one page. No server may have more. */
const maxOnPage = 4096;
const maxRemembered = 512;
const maxPlaces = 20;
/** Size of a whole list. Every user's lists, searches and pages include it: 512 definitions of 64 KiB would be 32 MiB each. */
const maxListBytes = 4 * 1024 * 1024;

/** Accepts a page without copying it, because takeListsOut finds the original list by the identity of the empty one. */
const pageSchema = z.custom<Record<string, unknown>>(isRecord);

/**
 * Reads a server's lists and leaves invalid definitions out. The SDK would refuse a whole page for one of them, so that one
 * bad tool would hide every other, and would check the page in one tick of the event loop. Therefore the SDK gets an empty
 * list, and the definitions are checked here.
 * @param mirrors whether arguments are mirrored in headers: then tools with faulty ones are left out (SEP-2243)
 */
export function checkLists(
  client: Client,
  transport: UpstreamTransport,
  { isLegacy, mirrors }: { isLegacy: boolean; mirrors: boolean },
) {
  const found = new Map<string, LeftOut[]>();
  const bytesOf = new Map<string, number>();
  let mended: MendedTool[] = [];
  const takenOut = takeListsOut(transport);

  async function soundOf<Item>(list: ListKind<Item>, items: unknown): Promise<Item[]> {
    const { member, kind, key, limits } = list;
    if (!Array.isArray(items)) throw new UpstreamError('bad_upstream', `${list.method}: ${member} is not a list`);
    if (items.length > maxOnPage) throw new UpstreamError(limits.tooMany, `${member}: more than ${limits.items}`);
    const sound: Item[] = [];
    const leftOut = found.get(list.method) ?? [];
    found.set(list.method, leftOut);
    await eachInTurns<unknown>(items, (item) => {
      const read = withinBytes(list.method, readSound(list, item));
      if ('definition' in read) sound.push(read.definition);
      else if (leftOut.length < maxRemembered) leftOut.push({ kind, name: nameOf(item, key), reason: read.fault });
    });
    return sound;
  }

  function readSound<Item>({ kind, key, schema }: ListKind<Item>, listed: unknown) {
    const item = kind === 'tool' ? asSoundTool(withObjectTypes(listed, isLegacy)) : listed;
    const read = readDefinition(item, key, schema);
    const fault = kind === 'tool' && 'definition' in read ? faultOfTool(Object(item)) : undefined;
    return fault === undefined ? read : { fault };
  }

  function asSoundTool(listed: unknown): unknown {
    const { tool, places } = withSoundSchemas(listed);
    if (places.length > 0 && mended.length < maxRemembered) {
      mended.push({ name: nameOf(listed, 'name'), places: places.slice(0, maxPlaces) });
    }
    return tool;
  }

  /** Counts a definition's bytes. If it exceeds the rest of the limit, it is left out, and smaller ones may still fit. */
  function withinBytes<Read extends ReturnType<typeof readSound>>(
    method: string,
    read: Read,
  ): Read | { fault: string } {
    if (!('bytes' in read)) return read;
    const bytes = (bytesOf.get(method) ?? 0) + read.bytes;
    if (bytes > maxListBytes) return { fault: `the whole list has more than ${maxListBytes} bytes` };
    bytesOf.set(method, bytes);
    return read;
  }

  function faultOfTool(tool: object): string | undefined {
    if (isLegacy && 'outputSchema' in tool && !isObjectSchema(tool.outputSchema)) return 'outputSchema is not valid';
    return mirrors && 'inputSchema' in tool ? faultOfHeaderArguments(tool.inputSchema) : undefined;
  }

  return {
    /**
     * Reads a list to its end, without its invalid definitions.
     * @throws UpstreamError too_many_tools or bad_upstream if a limit is exceeded; what the client throws
     */
    async read<Item>(list: ListKind<Item>, request: RequestOptions): Promise<Item[]> {
      const { method, member, limits } = list;
      found.delete(method);
      bytesOf.delete(method);
      if (list.kind === 'tool') mended = [];
      return listPages(member, { limits, emptyIsCursor: !isLegacy }, async (cursor) => {
        const params = cursor === undefined ? {} : { cursor };
        const { [member]: items, nextCursor } = await client.request({ method, params }, pageSchema, request);
        if (nextCursor !== undefined && typeof nextCursor !== 'string')
          throw new UpstreamError('bad_upstream', `${method}: nextCursor is not valid`);
        return { items: await soundOf(list, takenOut(items)), nextCursor };
      });
    },
    leftOut: (): LeftOut[] => [...found.values()].flat(),
    mended: (): MendedTool[] => mended,
  };
}

/** Empties the list in each answer to a list request. @returns a function that gives the original of an empty list */
function takeListsOut(transport: UpstreamTransport): (items: unknown) => unknown {
  const inPlaceOf = new WeakMap<object, unknown[]>();
  const open = new Map<string | number, string>();
  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    if (!('method' in message && 'id' in message)) return send(message, options);
    const member = memberOf.get(message.method);
    if (member !== undefined) {
      const [oldest] = open.size < maxOpen ? [] : open.keys();
      if (oldest !== undefined) open.delete(oldest);
      open.set(message.id, member);
    }
    return send(message, options);
  };
  const receive = transport.onmessage;
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- a transport has no addEventListener
  transport.onmessage = (message, extra) => receive?.(withoutList(message), extra);

  function withoutList<Message extends JSONRPCMessage>(message: Message): Message {
    if (open.size === 0 || !('result' in message) || message.id === undefined) return message;
    const member = open.get(message.id);
    open.delete(message.id);
    const items = member === undefined ? undefined : message.result[member];
    if (member === undefined || !Array.isArray(items)) return message;
    const empty: unknown[] = [];
    inPlaceOf.set(empty, items);
    return { ...message, result: { ...message.result, [member]: empty } };
  }

  return (items) => (Array.isArray(items) ? inPlaceOf.get(items) : items);
}

function nameOf(item: unknown, key: string): string {
  const name =
    typeof item === 'object' && item !== null ? Object.getOwnPropertyDescriptor(item, key)?.value : undefined;
  return typeof name === 'string' ? name.slice(0, 256) : '';
}
