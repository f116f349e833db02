import { z } from 'zod';
import { endpoint } from './endpoint.ts';

export const getUsageStats = endpoint({
  id: 'getUsageStats',
  method: 'GET',
  path: '/api/users/:userId/usage-stats',
  summary: "The caller's own use of tools in the last days, by server",
  access: 'user',
  params: z.object({ userId: z.string() }),
  query: z.object({ days: z.coerce.number().int().min(1).max(366).default(30) }),
  answer: z.object({
    success: z.literal(true),
    data: z.object({
      totalCreditsUsed: z.int(),
      totalToolCalls: z.int(),
      /** Most used first. averageCost is credits a call. */
      usageByMcp: z.array(
        z.object({ mcpId: z.string(), toolCalls: z.int(), averageCost: z.number(), totalCredits: z.int() }),
      ),
      /** Of any call, whatever became of it; null when there was none. */
      lastCallAt: z.iso.datetime().nullable(),
    }),
  }),
  errors: ['not_found', 'authentication_required', 'unauthenticated'],
});

export const callOutcomeSchema = z.enum(['ok', 'error', 'failed', 'refused', 'cancelled']);

/** One call of a person: what was called and what became of it. Arguments and results are not stored. */
export const callSchema = z.object({
  id: z.string(),
  at: z.iso.datetime(),
  /** The MCP client by the name that it gave, or the personal token by the name that its owner gave. */
  client: z.object({ kind: z.enum(['client', 'token']), name: z.string() }),
  serverId: z.string(),
  kind: z.enum(['tool', 'prompt', 'resource']),
  /** The server's own name of the tool or prompt, or the resource's address. */
  name: z.string(),
  durationMs: z.int(),
  /** ok; error: the tool itself said so; failed: no good answer came; refused: not sent to the server; cancelled. */
  outcome: callOutcomeSchema,
  /** A code of why it was not ok, such as timeout or rate_limited. */
  reason: z.string().nullable(),
  credits: z.int(),
});
export type Call = z.infer<typeof callSchema>;

export const listCalls = endpoint({
  id: 'listCalls',
  method: 'GET',
  path: '/api/users/:userId/calls',
  summary: "The caller's own calls, newest first, page by page; calls that come meanwhile move nothing",
  access: 'user',
  params: z.object({ userId: z.string() }),
  query: z.object({
    limit: z.coerce.number().int().min(1).max(200).default(50),
    /** nextCursor of the page before. */
    cursor: z.string().max(100).optional(),
    serverId: z.string().max(63).optional(),
    outcome: callOutcomeSchema.optional(),
    /** At or after, and before. */
    from: z.iso.datetime({ offset: true }).optional(),
    to: z.iso.datetime({ offset: true }).optional(),
  }),
  answer: z.object({
    success: z.literal(true),
    calls: z.array(callSchema),
    /** null on the last page. */
    nextCursor: z.string().nullable(),
  }),
  errors: ['not_found', 'invalid_request', 'authentication_required', 'unauthenticated'],
});

export const usageEndpoints = [getUsageStats, listCalls] as const;
