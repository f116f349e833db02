import { specTypeSchemas } from '@modelcontextprotocol/client';
import { z } from 'zod';
import { isRecord } from '#platform/json.ts';
import { withoutAbsent } from '#platform/json/absent-members.ts';
import { markLongNumbers, withExactNumbers } from '#platform/json/exact-numbers.ts';
import { scanJson, type JsonScan } from '#platform/json/scan-json.ts';
import { UpstreamError } from '../upstream-error.ts';
import { maxAnswerDepth } from './answer-depth.ts';
import { mayHaveTwoOutcomes, refuseTwoOutcomes } from './two-outcomes.ts';

// why the cast: the SDK's type shows the standard interface only, and zod made them (absent-members.test.ts)
const spec = specTypeSchemas as unknown as Record<keyof typeof specTypeSchemas, z.core.$ZodType>;

/** What clients read of a schema up to 2025-11-25: each schema within is an object, and null in its place stays. */
const schema: z.ZodType = z.lazy(() => {
  const schemas = z.record(z.string(), z.union([schema, z.boolean(), z.null()])).optional();
  return z.looseObject({
    properties: schemas,
    patternProperties: schemas,
    $defs: schemas,
    definitions: schemas,
    items: z.union([schema, z.array(schema), z.boolean(), z.null()]).optional(),
    required: z.array(z.string()).optional(),
  });
});

const results = z.union([
  spec.ServerResult,
  spec.DiscoverResult,
  spec.SubscriptionsListenResult,
  z.looseObject({
    tools: z.array(z.looseObject({ inputSchema: schema, outputSchema: schema.optional() })).optional(),
    // since 2026-07-28
    resultType: z.string().optional(),
    ttlMs: z.number().optional(),
    cacheScope: z.string().optional(),
    requestState: z.string().optional(),
    inputRequests: z.record(z.string(), spec.ServerRequest).optional(),
  }),
]);

const error = z.looseObject({ code: z.number(), message: z.string(), data: z.unknown() });

const message = z.union([
  z.looseObject({
    id: z.union([z.string(), z.number()]).optional(),
    method: z.string().optional(),
    params: z.looseObject({}).optional(),
    result: results.optional(),
    error: error.optional(),
  }),
  spec.ServerRequest,
  spec.ServerNotification,
]);
const messages = [message, z.array(message)];

/** Of the annotations of what a server shows: an odd date costs the date, not the answer that it stands in. */
const hints: ReadonlySet<string> = new Set(['audience', 'priority', 'lastModified']);
const hasHints = (text: string) => text.includes('"annotations"');

/** A message of a server without the members that it wrote as null for absent, and with the objects that it wrote as lists. */
export function withoutAbsentOfServer<Message>(given: Message): Message {
  // why the cast: what is left out may be absent in every message
  return withObjectContent(withoutAbsent(given, messages, hints)) as Message;
}

/** Results up to 2025-11-25, which have no resultType, have an object as their structured content. */
function withObjectContent(message: unknown): unknown {
  const result = isRecord(message) && isRecord(message['result']) ? message['result'] : undefined;
  const content = result?.['structuredContent'];
  if (!Array.isArray(content) || content.length > 0 || result?.['resultType'] !== undefined) return message;
  return { ...Object(message), result: { ...result, structuredContent: {} } };
}

/**
 * The JSON of a server: without members that are null for absent, and with every number as it came where its schema says
 * nothing of it.
 * @throws UpstreamError bad_upstream for JSON that is too deep; SyntaxError
 */
export function parseServerJson(text: string): unknown {
  const { hasNull, hasEmptyList, hasLongNumber } = scan(text);
  const parsed: unknown = JSON.parse(hasLongNumber ? markLongNumbers(text) : text);
  const isOdd = hasNull || hasEmptyList || hasLongNumber || hasHints(text);
  const kept = isOdd ? withoutAbsentOfServer(parsed) : parsed;
  return hasLongNumber ? withExactNumbers(kept) : kept;
}

/**
 * The same for text that the SDK parses: it has marks in the place of numbers, which withExactNumbers reads in the message that
 * the SDK made of it.
 * @returns undefined where the text can stay as it is
 * @throws UpstreamError bad_upstream for JSON that is too deep, and for an answer with both a result and an error
 */
export function rewriteServerJson(text: string): string | undefined {
  const { hasNull, hasEmptyList, hasLongNumber } = scan(text);
  const isOdd = hasNull || hasEmptyList || hasLongNumber || hasHints(text);
  if (!isOdd && !mayHaveTwoOutcomes(text)) return undefined;
  const parsed = parseMarked(text);
  if (parsed === undefined) return undefined;
  for (const message of Array.isArray(parsed) ? parsed : [parsed]) refuseTwoOutcomes(message);
  return isOdd ? JSON.stringify(withoutAbsentOfServer(parsed)) : undefined;
}

/** Undefined for text that is no JSON: the SDK says what is wrong with it. */
function parseMarked(text: string): unknown {
  try {
    return JSON.parse(markLongNumbers(text));
  } catch {
    return undefined;
  }
}

function scan(text: string): JsonScan {
  const found = scanJson(text, maxAnswerDepth);
  if (found.isTooDeep) throw new UpstreamError('bad_upstream', `JSON of more than ${maxAnswerDepth} levels`);
  return found;
}
