import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  LOG_LEVEL_META_KEY,
  specTypeSchemas,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import { withoutAbsent } from '#platform/json/absent-members.ts';

// why the cast: the SDK's type only shows the standard interface, but these are zod schemas (absent-members.test.ts)
const spec = specTypeSchemas as unknown as Record<keyof typeof specTypeSchemas, z.core.$ZodType>;

const error = z.looseObject({ code: z.number(), message: z.string(), data: z.unknown() });

/** The params that 2026-07-28 adds to every request. */
const params = z.looseObject({
  _meta: z
    .looseObject({
      [CLIENT_INFO_META_KEY]: z.union([spec.Implementation]).optional(),
      [CLIENT_CAPABILITIES_META_KEY]: z.union([spec.ClientCapabilities]).optional(),
      [LOG_LEVEL_META_KEY]: z.string().optional(),
    })
    .optional(),
  inputResponses: z.record(z.string(), spec.ClientResult).optional(),
  requestState: z.string().optional(),
});

const message = z.union([
  z.looseObject({
    id: z.union([z.string(), z.number()]).optional(),
    method: z.string().optional(),
    params: params.optional(),
    result: z.union([spec.ClientResult]).optional(),
    error: error.optional(),
  }),
  spec.ClientRequest,
  spec.DiscoverRequest,
  spec.SubscriptionsListenRequest,
  spec.ClientNotification,
]);
const messages = [message, z.array(message)];

/** Removes the members that a client sent as null to say that they are absent. */
export function withoutAbsentOfClient(body: unknown): unknown {
  return withoutAbsent(body, messages);
}
