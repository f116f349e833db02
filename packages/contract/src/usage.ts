import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { cursorSchema, momentSchema } from './times.ts';

/** Of one person and day this many servers are counted each by itself; the next ones together, under this id of no server. */
export const countedServers = 200;
export const otherServers = '+others';
/** The id, of no server, under which the calls are counted that belong to none: those of built-in tools, and of unknown names. */
export const builtInTools = '+built-in';

/** This many servers have their answered calls by day each by itself. */
export const serversByDay = 5;

const usedSchema = z.object({
  toolCalls: z.int(),
  answeredToolCalls: z.int(),
  /** Credits an answered call, with 1 decimal. */
  averageCost: z.number(),
  totalCredits: z.int(),
});

/** Spec part 1 and 2, section 3: the derived stats of "Credit usage record", and "Usage stats". */
export const usageStatsSchema = z.object({
  totalCreditsUsed: z.int(),
  /** With any outcome. */
  totalToolCalls: z.int(),
  /** Of these, those that the tool answered, be it with an error of its own. */
  answeredToolCalls: z.int(),
  /** Credits an answered call, with 2 decimals. */
  averageCost: z.number(),
  /**
   * Most answered calls first, at most 1000. `+others` are the servers of days beyond the first 200 of each, `+built-in` are
   * the built-in tools, and names that no server has.
   */
  usageByMcp: z.array(
    usedSchema.extend({
      mcpId: z.string(),
      /** As of all servers, below. */
      lastClientAt: z.iso.datetime().nullable(),
    }),
  ),
  /** The tools of servers, those with the most answered calls first, at most 1000. */
  usageByTool: z.array(
    usedSchema.extend({
      mcpId: z.string(),
      /** The server's own name of the tool. */
      toolName: z.string(),
      /** Of answered calls, estimated from counts by duration; the most that can be told apart is 15 s. null: none was answered. */
      latencyMs: z.object({ p50: z.int(), p95: z.int(), p99: z.int() }).nullable(),
    }),
  ),
  /** Every day of the period (UTC), also those without calls, the oldest first. */
  usageByDay: z.array(
    z.object({
      date: z.iso.date(),
      toolCalls: z.int(),
      answeredToolCalls: z.int(),
      totalCredits: z.int(),
    }),
  ),
  /**
   * Answered tool calls of the servers with the most, at most 5, then those of built-in tools as `+built-in`, and of all
   * others together as `+others`: a figure for each day of usageByDay. Those without any are left out.
   */
  usageByMcpAndDay: z.array(z.object({ mcpId: z.string(), answeredToolCalls: z.array(z.int()) })),
  /** Time of the last call of any kind with any outcome; null when there was none. */
  lastCallAt: z.iso.datetime().nullable(),
  /** The same of calls that were answered. */
  lastAnsweredAt: z.iso.datetime().nullable(),
  /** The same of calls by an MCP client or a personal token: what the website runs itself proves no link. */
  lastClientAt: z.iso.datetime().nullable(),
});
export type UsageStats = z.infer<typeof usageStatsSchema>;

export const getUsageStats = endpoint({
  id: 'getUsageStats',
  method: 'GET',
  path: '/api/users/:userId/usage-stats',
  summary: "The caller's own use of tools in the last days (UTC, today included): in all, by server, tool and day",
  access: 'user',
  params: z.object({ userId: z.string() }),
  query: z.object({ days: z.coerce.number().int().min(1).max(366).default(30) }),
  answer: z.object({ success: z.literal(true), data: usageStatsSchema }),
  errors: ['not_found', 'authentication_required', 'unauthenticated'],
});

export const callOutcomeSchema = z.enum(['ok', 'error', 'failed', 'refused', 'cancelled']);

/** One call of a person: what was called, and its outcome. Arguments and results are not stored. */
export const callSchema = z.object({
  id: z.string(),
  at: z.iso.datetime(),
  /** The MCP client by the name that it gave, the personal token by the name that its owner gave, or the web app. */
  client: z.object({ kind: z.enum(['client', 'token', 'web']), name: z.string() }),
  /** null for what belongs to no server: a built-in tool, or a name that no server has. */
  serverId: z.string().nullable(),
  kind: z.enum(['tool', 'prompt', 'resource']),
  /** The server's own name of the tool or prompt, or the resource's address. */
  name: z.string(),
  durationMs: z.int(),
  /**
   * ok; error: the tool, or the server, said so; failed: no valid answer came; refused: not sent to the server, or it asked
   * for input; cancelled by the client.
   */
  outcome: callOutcomeSchema,
  /** Why it was not ok, as a code such as timeout or rate_limited. */
  reason: z.string().nullable(),
  credits: z.int(),
  /** Refusals for rate share a row, one a minute for each client or token: how many calls it stands for. Else 1. */
  count: z.int(),
  /** Of how many rounds the call consists: 1, and one more for each question of its server that the client answered. */
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
  summary: "The caller's own calls, newest first, in pages that later calls do not shift",
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
  summary: "The caller's own calls as a file, newest first, at most 10,000",
  access: 'user',
  weight: 50,
  params: z.object({ userId: z.string() }),
  query: callFilter,
  mediaType: 'text/csv',
  answer: z.string(),
  errors: ['too_many_downloads', 'not_found', 'invalid_request', 'authentication_required', 'unauthenticated'],
});

export const usageEndpoints = [getUsageStats, listCalls, getCallsCsv] as const;
