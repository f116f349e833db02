import { z } from 'zod';
import { endpoint } from '../endpoint.ts';

/** With fewer calls there is no figure: it would say more about one person than about the server. */
export const leastCallsForFigures = 20;

/** How a server did, from real checks and real calls. */
export const getServerRecord = endpoint({
  id: 'getServerRecord',
  method: 'GET',
  path: '/api/catalogue/servers/:serverId/record',
  summary: 'How a deployed server did: its uptime from real checks, speed and success from real calls',
  access: 'public',
  params: z.object({ serverId: z.string().max(200) }),
  answer: z.object({
    /** null: it has not been asked yet. */
    lastTestedAt: z.iso.datetime().nullable(),
    /** The era of the protocol that it speaks: legacy is up to 2025-11-25. null: not known yet. */
    era: z.enum(['legacy', 'modern']).nullable(),
    /** Of the last 30 days (UTC); null before the first check. */
    uptime: z
      .object({
        since: z.iso.date(),
        /** With 2 decimals, never rounded up; null before there is a day of checks. */
        percent: z.number().nullable(),
      })
      .nullable(),
    /** The last 30 days (UTC), today last. */
    days: z.array(
      z.object({
        day: z.iso.date(),
        /** With 2 decimals, never rounded up; null for a day without a check. */
        percent: z.number().nullable(),
      }),
    ),
    /** Tool calls of everyone in the last 7 days; null while there are too few for a figure. */
    calls: z
      .object({
        /** Of the calls that reached the server, those that its tools answered, be it with an error of their own. */
        successPercent: z.number(),
        medianMs: z.int(),
      })
      .nullable(),
  }),
  errors: ['server_not_found', 'invalid_request'],
});

export const serverRecordEndpoints = [getServerRecord] as const;
