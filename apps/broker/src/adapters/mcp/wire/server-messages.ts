import { specTypeSchemas } from '@modelcontextprotocol/client';
import { z } from 'zod';
import { isRecord } from '#platform/json.ts';
import { withoutAbsent } from '#platform/json/absent-members.ts';
import { markLongNumbers, withExactNumbers } from '#platform/json/exact-numbers.ts';
import { scanJson, type JsonScan } from '#platform/json/scan-json.ts';
import { answerTooDeep, maxAnswerDepth } from './answer-limits.ts';
import { mayHaveTwoOutcomes, refuseTwoOutcomes } from './two-outcomes.ts';

// why the cast: the SDK's type only shows the standard interface, but these are zod schemas (absent-members.test.ts)
const spec = specTypeSchemas as unknown as Record<keyof typeof specTypeSchemas, z.core.$ZodType>;

/** The parts of a schema that clients up to 2025-11-25 read. An inner schema of null stays null. */
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

/** Members of annotations: an invalid date is dropped, not the answer that it is in. */
const hints: ReadonlySet<string> = new Set(['audience', 'priority', 'lastModified']);
const hasHints = (text: string) => text.includes('"annotations"');

/** Removes members that a server sent as null for absent, and restores objects that it sent as empty lists. */
function withoutAbsentOfServer<Message>(given: Message): Message {
  // why the cast: only optional members are removed
  return withObjectContent(withoutAbsent(given, messages, hints)) as Message;
}

/** Makes an empty list of structured content an object in results up to 2025-11-25, which have no resultType. */
function withObjectContent(message: unknown): unknown {
  const result = isRecord(message) && isRecord(message['result']) ? message['result'] : undefined;
  const content = result?.['structuredContent'];
  if (!Array.isArray(content) || content.length > 0 || result?.['resultType'] !== undefined) return message;
  return { ...Object(message), result: { ...result, structuredContent: {} } };
}

/**
 * Parses a server's JSON. Members that are null for absent are removed, and numbers that no schema describes stay exact.
 * @throws UpstreamError bad_upstream for JSON that is too deep; SyntaxError
 */
export function parseServerJson(text: string): unknown {
  const { hasNull, hasEmptyList, hasLongNumber } = scan(text);
  const parsed: unknown = JSON.parse(hasLongNumber ? markLongNumbers(text) : text);
  const needsRewrite = hasNull || hasEmptyList || hasLongNumber || hasHints(text);
  const kept = needsRewrite ? withoutAbsentOfServer(parsed) : parsed;
  return hasLongNumber ? withExactNumbers(kept) : kept;
}

/**
 * Rewrites a server's JSON for the SDK's parser in the same way. The text then has marks instead of long numbers, which
 * withExactNumbers reads in the parsed message.
 * @returns undefined if nothing has to change
 * @throws UpstreamError bad_upstream for JSON that is too deep, and for an answer with both a result and an error
 */
export function rewriteServerJson(text: string): string | undefined {
  const { hasNull, hasEmptyList, hasLongNumber } = scan(text);
  const needsRewrite = hasNull || hasEmptyList || hasLongNumber || hasHints(text);
  if (!needsRewrite && !mayHaveTwoOutcomes(text)) return undefined;
  const parsed = parseMarked(text);
  if (parsed === undefined) return undefined;
  for (const message of Array.isArray(parsed) ? parsed : [parsed]) refuseTwoOutcomes(message);
  return needsRewrite ? JSON.stringify(withoutAbsentOfServer(parsed)) : undefined;
}

/** Undefined for invalid JSON, which the SDK reports. */
function parseMarked(text: string): unknown {
  try {
    return JSON.parse(markLongNumbers(text));
  } catch {
    return undefined;
  }
}

function scan(text: string): JsonScan {
  const found = scanJson(text, maxAnswerDepth);
  if (found.isTooDeep) throw answerTooDeep();
  return found;
}
