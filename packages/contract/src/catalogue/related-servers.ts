import { z } from 'zod';
import { briefServerSchema } from './catalogue-search.ts';
import { endpoint } from '../endpoint.ts';

/** Fewer people in common would say more about them than about the servers. */
export const leastPeopleInCommon = 5;

/** Servers that a page names beside its own. */
export const maxRelatedServers = 4;

export const getRelatedServers = endpoint({
  id: 'getRelatedServers',
  method: 'GET',
  path: '/api/catalogue/servers/:serverId/related',
  summary: 'Up to four other servers: those that the same people use first, then popular ones of its category',
  access: 'public',
  params: z.object({ serverId: z.string().max(200) }),
  answer: z.object({
    servers: z.array(
      briefServerSchema.extend({
        /** Whether at least five people used it and this server in the last 30 days. */
        usedTogether: z.boolean(),
      }),
    ),
  }),
  revalidated: true,
  errors: ['server_not_found', 'invalid_request'],
});
