import { specTypeSchemas, type JSONRPCMessage } from '@modelcontextprotocol/client';
import type { LeftOut } from '../upstream.ts';
import type { UpstreamTransport } from '../transports/upstream-transport.ts';
import { faultOfDefinition, isObjectSchema } from './definition-fault.ts';
import { faultOfHeaderArguments } from './header-arguments.ts';

/** Where the answer to a list has its definitions, and what they are. */
const lists = {
  'tools/list': { member: 'tools', kind: 'tool', key: 'name', schema: specTypeSchemas.Tool },
  'prompts/list': { member: 'prompts', kind: 'prompt', key: 'name', schema: specTypeSchemas.Prompt },
  'resources/list': { member: 'resources', kind: 'resource', key: 'uri', schema: specTypeSchemas.Resource },
  'resources/templates/list': {
    member: 'resourceTemplates',
    kind: 'template',
    key: 'uriTemplate',
    schema: specTypeSchemas.ResourceTemplate,
  },
} as const;
export type ListMethod = keyof typeof lists;

/** Lists that were asked for and may still be answered; one that timed out never is. */
const maxOpen = 32;
/** More definitions than that on one page are not looked at: no server may have as many. */
const maxOnPage = 4096;
const maxRemembered = 512;

export type CheckedLists = {
  /** Forgets what an earlier reading of this list left out. */
  begin(method: ListMethod): void;
  /** What was left out of the lists that were read last. */
  leftOut(): LeftOut[];
};

/**
 * Takes ill-made definitions out of a server's lists before the SDK reads them: the SDK refuses a whole page for one of
 * them, so that one bad tool would hide every other.
 * @param mirrors arguments may be mirrored in headers: a tool where they are faulty is left out (SEP-2243)
 */
export function checkLists(
  transport: UpstreamTransport,
  { isLegacy, mirrors }: { isLegacy: boolean; mirrors: boolean },
): CheckedLists {
  const open = new Map<string | number, ListMethod>();
  const found = new Map<ListMethod, LeftOut[]>();

  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    if ('method' in message && 'id' in message && isList(message.method)) {
      const [oldest] = open.size < maxOpen ? [] : open.keys();
      if (oldest !== undefined) open.delete(oldest);
      open.set(message.id, message.method);
    }
    return send(message, options);
  };
  const receive = transport.onmessage;
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- a transport has no addEventListener
  transport.onmessage = (message, extra) => receive?.(withoutFaults(message), extra);

  function withoutFaults<Message extends JSONRPCMessage>(message: Message): Message {
    if (open.size === 0 || !('result' in message) || message.id === undefined) return message;
    const method = open.get(message.id);
    if (method === undefined) return message;
    open.delete(message.id);
    const { member } = lists[method];
    const items = message.result[member];
    if (!Array.isArray(items) || items.length > maxOnPage) return message;
    const kept = items.filter((item: unknown) => isSound(method, item));
    return { ...message, result: { ...message.result, [member]: kept } };
  }

  function isSound(method: ListMethod, item: unknown): boolean {
    const { kind, key } = lists[method];
    const reason = faultOf(method, item);
    if (reason === undefined) return true;
    const leftOut = found.get(method) ?? [];
    if (leftOut.length < maxRemembered) leftOut.push({ kind, name: nameOf(item, key), reason });
    found.set(method, leftOut);
    return false;
  }

  function faultOf(method: ListMethod, item: unknown): string | undefined {
    const { kind, key, schema } = lists[method];
    const fault = faultOfDefinition(item, key, schema);
    if (fault !== undefined || kind !== 'tool' || typeof item !== 'object' || item === null) return fault;
    if (isLegacy && 'outputSchema' in item && !isObjectSchema(item.outputSchema)) return 'outputSchema is not valid';
    return mirrors && 'inputSchema' in item ? faultOfHeaderArguments(item.inputSchema) : undefined;
  }

  return {
    begin: (method) => void found.delete(method),
    leftOut: () => [...found.values()].flat(),
  };
}

const isList = (method: string): method is ListMethod => Object.hasOwn(lists, method);

function nameOf(item: unknown, key: string): string {
  const name =
    typeof item === 'object' && item !== null ? Object.getOwnPropertyDescriptor(item, key)?.value : undefined;
  return typeof name === 'string' ? name.slice(0, 256) : '';
}
