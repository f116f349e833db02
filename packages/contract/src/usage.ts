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

export const usageEndpoints = [getUsageStats] as const;
