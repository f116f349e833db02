import { z } from 'zod';
import { endpoint } from './endpoint.ts';

/** Tools that a person may run at once from the web. */
export const maxToolRuns = 4;

const needSession = ['authentication_required', 'unauthenticated'] as const;
const questionId = z.string().min(1).max(200);

/** What a server asks the person in the middle of a run (elicitation). */
export const runQuestionSchema = z.discriminatedUnion('mode', [
  z.object({
    mode: z.literal('form'),
    id: questionId,
    message: z.string(),
    /** JSON schema of the answer: an object with plain fields. */
    schema: z.record(z.string(), z.unknown()),
  }),
  z.object({
    mode: z.literal('page'),
    id: questionId,
    message: z.string(),
    /** Of a web page that the person is asked to open. */
    url: z.string(),
  }),
  /** Not of the server: the tool's price rose. It is approved with `approve: true` in the answer's content. */
  z.object({
    mode: z.literal('price'),
    id: questionId,
    oldCredits: z.int(),
    newCredits: z.int(),
    raisedAt: z.iso.datetime(),
  }),
]);
export type RunQuestion = z.infer<typeof runQuestionSchema>;

/** What the broker itself says of a run's end. */
export const runFactsSchema = z.object({
  /** Why the tool did not answer. */
  code: z.string().optional(),
  /** Credits that the run cost, that it would need, and that are left. */
  charged: z.int().optional(),
  required: z.int().optional(),
  available: z.int().optional(),
  topUpUrl: z.string().optional(),
  /** The page where the person connects their account. */
  url: z.string().optional(),
});
export type RunFacts = z.infer<typeof runFactsSchema>;

/** The events of a run, each as the JSON of one `data:` line. The last one is a result or a failure. */
export const runEventSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('started'), callId: z.string() }),
  z.object({
    type: z.literal('progress'),
    progress: z.number(),
    total: z.number().optional(),
    message: z.string().optional(),
  }),
  z.object({ type: z.literal('question'), question: runQuestionSchema }),
  /** The server no longer asks this. */
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
  /** There is no result: the request was not valid for the server, or our own fault. */
  z.object({ type: z.literal('failed'), message: z.string() }),
]);
export type RunEvent = z.infer<typeof runEventSchema>;

export const startToolRun = endpoint({
  id: 'startToolRun',
  method: 'POST',
  path: '/api/tool-runs',
  summary:
    "Runs a tool as a call of the caller's own: checked, charged and logged like every MCP call. Ends when the client goes",
  access: 'account',
  body: z.object({
    serverId: z.string().max(200),
    /** The server's own name of the tool. */
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
  summary: "Answers a question of a running tool's server",
  access: 'account',
  params: ofRun,
  body: z.object({
    id: questionId,
    action: z.enum(['accept', 'decline', 'cancel']),
    /** The fields of a form that is accepted. */
    content: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.array(z.string())])).optional(),
  }),
  answer: z.object({ success: z.literal(true) }),
  errors: ['not_found', 'invalid_request', 'rate_limited', ...needSession],
});

export const cancelToolRun = endpoint({
  id: 'cancelToolRun',
  method: 'DELETE',
  path: '/api/tool-runs/:callId',
  summary: 'Cancels a running tool; its event stream ends with that',
  access: 'account',
  params: ofRun,
  answer: z.object({ success: z.literal(true) }),
  errors: ['not_found', 'invalid_request', 'rate_limited', ...needSession],
});

export const toolRunEndpoints = [startToolRun, answerToolRun, cancelToolRun] as const;
