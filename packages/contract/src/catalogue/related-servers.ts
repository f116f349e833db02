import { z } from 'zod';
import { briefServerSchema } from './catalogue-search.ts';
import { endpoint } from '../endpoint.ts';

/** Common users required to relate two servers. Fewer would reveal more about them than about the servers. */
export const leastPeopleInCommon = 5;

/** Related servers shown on a page. */
export const maxRelatedServers = 4;

export const getRelatedServers = endpoint({
  id: 'getRelatedServers',
  method: 'GET',
  path: '/api/catalogue/servers/:serverId/related',
  summary: 'Lists up to four other servers: those used by the same users first, then popular ones of the same category',
  access: 'public',
  params: z.object({ serverId: z.string().max(200) }),
  answer: z.object({
    servers: z.array(
      briefServerSchema.extend({
        /** Whether at least five users used both servers in the last 30 days. */
        usedTogether: z.boolean(),
      }),
    ),
  }),
  revalidated: true,
  errors: ['server_not_found', 'invalid_request'],
});
