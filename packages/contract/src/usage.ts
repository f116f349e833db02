import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { cursorSchema, momentSchema } from './times.ts';

/**
 * Servers counted individually per user and day. Further ones are counted together under `otherServers`, an id that no server
 * can have.
 */
export const countedServers = 200;
export const otherServers = '+others';
/** Id, used by no server, for calls to built-in tools and unknown names. */
export const builtInTools = '+built-in';

/** Servers with individual daily counts of answered calls. */
export const serversByDay = 5;

const usedSchema = z.object({
  toolCalls: z.int(),
  answeredToolCalls: z.int(),
  /** Credits per answered call, with 1 decimal. */
  averageCost: z.number(),
  totalCredits: z.int(),
});

/** Spec part 1 and 2, section 3: the derived stats of "Credit usage record", and "Usage stats". */
export const usageStatsSchema = z.object({
  totalCreditsUsed: z.int(),
  /** Calls with any outcome. */
  totalToolCalls: z.int(),
  /** Calls that the tool answered, including with a tool error. */
  answeredToolCalls: z.int(),
  /** Credits per answered call, with 2 decimals. */
  averageCost: z.number(),
  /**
   * Most answered calls first, at most 1000. `+others` are servers beyond the first 200 of a day; `+built-in` are built-in
   * tools and unknown names.
   */
  usageByMcp: z.array(
    usedSchema.extend({
      mcpId: z.string(),
      /** Time of the last call of this server by an MCP client or a personal token; null if there was none. */
      lastClientAt: z.iso.datetime().nullable(),
    }),
  ),
  /** Tools of servers, most answered calls first, at most 1000. */
  usageByTool: z.array(
    usedSchema.extend({
      mcpId: z.string(),
      /** Tool name as the server defines it. */
      toolName: z.string(),
      /** Duration of answered calls, estimated from a histogram that ends at 15 s. null: none was answered. */
      latencyMs: z.object({ p50: z.int(), p95: z.int(), p99: z.int() }).nullable(),
    }),
  ),
  /** Every day of the period (UTC), including days without calls, oldest first. */
  usageByDay: z.array(
    z.object({
      date: z.iso.date(),
      toolCalls: z.int(),
      answeredToolCalls: z.int(),
      totalCredits: z.int(),
    }),
  ),
  /**
   * Answered tool calls for each day of usageByDay: up to 5 servers with the most, then built-in tools as `+built-in`, then
   * all others as `+others`. Entries without calls are omitted.
   */
  usageByMcpAndDay: z.array(z.object({ mcpId: z.string(), answeredToolCalls: z.array(z.int()) })),
  /** Time of the last call of any kind and outcome; null if there was none. */
  lastCallAt: z.iso.datetime().nullable(),
  /** Time of the last answered call. */
  lastAnsweredAt: z.iso.datetime().nullable(),
  /** Time of the last call by an MCP client or a personal token. Runs on the website do not prove that a link works. */
  lastClientAt: z.iso.datetime().nullable(),
});
export type UsageStats = z.infer<typeof usageStatsSchema>;

export const getUsageStats = endpoint({
  id: 'getUsageStats',
  method: 'GET',
  path: '/api/users/:userId/usage-stats',
  summary:
    "Returns the caller's use of tools in the last days (UTC, including today): in total, and by server, tool and day",
  access: 'user',
  params: z.object({ userId: z.string() }),
  query: z.object({ days: z.coerce.number().int().min(1).max(366).default(30) }),
  answer: z.object({ success: z.literal(true), data: usageStatsSchema }),
  errors: ['not_found', 'authentication_required', 'unauthenticated'],
});

export const callOutcomeSchema = z.enum(['ok', 'error', 'failed', 'refused', 'cancelled']);

/** A user's call and its outcome. Arguments and results are not stored. */
export const callSchema = z.object({
  id: z.string(),
  at: z.iso.datetime(),
  /** Name that the MCP client gave itself, name of the personal token, or the web app. */
  client: z.object({ kind: z.enum(['client', 'token', 'web']), name: z.string() }),
  /** null for a built-in tool or an unknown name. */
  serverId: z.string().nullable(),
  kind: z.enum(['tool', 'prompt', 'resource']),
  /** Name of the tool or prompt as the server defines it, or the resource's address. */
  name: z.string(),
  durationMs: z.int(),
  /**
   * error: reported by the tool or server. failed: no valid response. refused: not sent to the server, or it asked for input.
   * cancelled: by the client.
   */
  outcome: callOutcomeSchema,
  /** Error code, for example timeout or rate_limited; null if ok. */
  reason: z.string().nullable(),
  credits: z.int(),
  /** Number of calls in this row: calls over the rate limit share one row per minute for each client or token. Else 1. */
  count: z.int(),
  /** Rounds of the call: 1, plus one for each question of its server that the client answered. */
  rounds: z.int(),
});
export type Call = z.infer<typeof callSchema>;

export const callFilter = z.object({
  serverId: z.string().max(63).optional(),
  outcome: callOutcomeSchema.optional(),
  /** `from` is inclusive, `to` exclusive. */
  from: momentSchema.optional(),
  to: momentSchema.optional(),
});

export const listCalls = endpoint({
  id: 'listCalls',
  method: 'GET',
  path: '/api/users/:userId/calls',
  summary: "Lists the caller's calls, newest first, in pages that later calls do not shift",
  access: 'user',
  params: z.object({ userId: z.string() }),
  query: callFilter.extend({
    limit: z.coerce.number().int().min(1).max(200).default(50),
    /** nextCursor of the previous page. */
    cursor: cursorSchema.optional(),
  }),
  answer: z.object({
    success: z.literal(true),
    calls: z.array(callSchema),
    /** null on the last page. */
    nextCursor: z.string().nullable(),
  }),
  errors: ['not_found', 'invalid_request', 'authentication_required', 'unauthenticated'],
});

export const getCallsCsv = endpoint({
  id: 'getCallsCsv',
  method: 'GET',
  path: '/api/users/:userId/calls.csv',
  summary: "Downloads the caller's calls as CSV, newest first, at most 10,000",
  access: 'user',
  weight: 50,
  params: z.object({ userId: z.string() }),
  query: callFilter,
  mediaType: 'text/csv',
  answer: z.string(),
  errors: ['too_many_downloads', 'not_found', 'invalid_request', 'authentication_required', 'unauthenticated'],
});

export const usageEndpoints = [getUsageStats, listCalls, getCallsCsv] as const;
