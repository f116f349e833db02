import { z } from 'zod';
import { endpoint } from '../endpoint.ts';

/** Calls required for a figure. Fewer would reveal more about one user than about the server. */
export const leastCallsForFigures = 20;

export const getServerRecord = endpoint({
  id: 'getServerRecord',
  method: 'GET',
  path: '/api/catalogue/servers/:serverId/record',
  summary:
    'Returns the measured reliability of a deployed server: uptime from health checks, speed and success from calls',
  access: 'public',
  params: z.object({ serverId: z.string().max(200) }),
  answer: z.object({
    /** null: not checked yet. */
    lastTestedAt: z.iso.datetime().nullable(),
    /** Protocol era of the server: legacy is up to 2025-11-25. null: unknown. */
    era: z.enum(['legacy', 'modern']).nullable(),
    /** Uptime over the last 30 days (UTC); null before the first check. */
    uptime: z
      .object({
        since: z.iso.date(),
        /** Rounded down to 2 decimals; null before the first day of checks. */
        percent: z.number().nullable(),
      })
      .nullable(),
    /** Last 30 days (UTC), today last. */
    days: z.array(
      z.object({
        day: z.iso.date(),
        /** Rounded down to 2 decimals; null for a day without checks. */
        percent: z.number().nullable(),
      }),
    ),
    /** Tool calls of all users in the last 7 days; null if there are too few for a figure. */
    calls: z
      .object({
        /** Percentage of calls that reached the server and were answered by a tool, including tool errors. */
        successPercent: z.number(),
        medianMs: z.int(),
      })
      .nullable(),
  }),
  errors: ['server_not_found', 'invalid_request'],
});

export const serverRecordEndpoints = [getServerRecord] as const;
