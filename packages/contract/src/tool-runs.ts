import { z } from 'zod';
import { endpoint } from './endpoint.ts';

/** Concurrent tool runs per user from the web. */
export const maxToolRuns = 4;

const needSession = ['authentication_required', 'unauthenticated'] as const;
const questionId = z.string().min(1).max(200);

/** A question from a server to the user during a run (elicitation). */
export const runQuestionSchema = z.discriminatedUnion('mode', [
  z.object({
    mode: z.literal('form'),
    id: questionId,
    message: z.string(),
    /** JSON schema of the answer: an object with primitive fields. */
    schema: z.record(z.string(), z.unknown()),
  }),
  z.object({
    mode: z.literal('page'),
    id: questionId,
    message: z.string(),
    /** Web page to open. */
    url: z.string(),
  }),
  /** Asked by the broker: the tool's price rose. `approve: true` in the answer's content approves it. */
  z.object({
    mode: z.literal('price'),
    id: questionId,
    oldCredits: z.int(),
    newCredits: z.int(),
    raisedAt: z.iso.datetime(),
  }),
]);
export type RunQuestion = z.infer<typeof runQuestionSchema>;

/** Details from the broker about the end of a run. */
export const runFactsSchema = z.object({
  /** Error code, if the tool did not answer. */
  code: z.string().optional(),
  /** Credits: charged, required and available. */
  charged: z.int().optional(),
  required: z.int().optional(),
  available: z.int().optional(),
  topUpUrl: z.string().optional(),
  /** Page where the user connects their account. */
  url: z.string().optional(),
});
export type RunFacts = z.infer<typeof runFactsSchema>;

/** Events of a run, each the JSON of one `data:` line. The last one is a result or a failure. */
export const runEventSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('started'), callId: z.string() }),
  z.object({
    type: z.literal('progress'),
    progress: z.number(),
    total: z.number().optional(),
    message: z.string().optional(),
  }),
  z.object({ type: z.literal('question'), question: runQuestionSchema }),
  /** The server withdrew its question. */
  z.object({ type: z.literal('withdrawn'), id: questionId }),
  z.object({
    type: z.literal('result'),
    isError: z.boolean(),
    /** Content blocks as the server wrote them (MCP, server/tools, Tool Result). */
    content: z.array(z.unknown()),
    structuredContent: z.unknown().optional(),
    durationMs: z.int(),
    facts: runFactsSchema,
  }),
  /** No result: the request was invalid for the server, or we failed. */
  z.object({ type: z.literal('failed'), message: z.string() }),
]);
export type RunEvent = z.infer<typeof runEventSchema>;

export const startToolRun = endpoint({
  id: 'startToolRun',
  method: 'POST',
  path: '/api/tool-runs',
  summary:
    'Runs a tool as the caller: checked, charged and logged like every MCP call. Ends when the client disconnects',
  access: 'account',
  body: z.object({
    serverId: z.string().max(200),
    /** Tool name as the server defines it. */
    tool: z.string().min(1).max(256),
    arguments: z.record(z.string(), z.unknown()).default({}),
  }),
  mediaType: 'text/event-stream',
  answer: z.string(),
  errors: ['invalid_request', 'payload_too_large', 'too_many_runs', 'unavailable', ...needSession],
});

const ofRun = z.object({ callId: z.uuid() });

export const answerToolRun = endpoint({
  id: 'answerToolRun',
  method: 'POST',
  path: '/api/tool-runs/:callId/answers',
  summary: "Answers a server's question during a tool run",
  access: 'account',
  params: ofRun,
  body: z.object({
    id: questionId,
    action: z.enum(['accept', 'decline', 'cancel']),
    /** Fields of an accepted form. */
    content: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.array(z.string())])).optional(),
  }),
  answer: z.object({ success: z.literal(true) }),
  errors: ['not_found', 'invalid_request', 'rate_limited', ...needSession],
});

export const cancelToolRun = endpoint({
  id: 'cancelToolRun',
  method: 'DELETE',
  path: '/api/tool-runs/:callId',
  summary: 'Cancels a tool run, which ends its event stream',
  access: 'account',
  params: ofRun,
  answer: z.object({ success: z.literal(true) }),
  errors: ['not_found', 'invalid_request', 'rate_limited', ...needSession],
});

export const toolRunEndpoints = [startToolRun, answerToolRun, cancelToolRun] as const;
