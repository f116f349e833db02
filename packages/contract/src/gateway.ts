import { z } from 'zod';
import { endpoint } from './endpoint.ts';

/** Listed tools above which compact mode is suggested. It is never enabled automatically. */
export const compactSuggestedAbove = 60;

const maxTokens = 200;

/** A user's settings for the tool list on /mcp. */
export const gatewayPreferencesSchema = z.object({
  /** Lists only the built-in tools (find_tools, call_tool and others), through which all other tools are used. */
  compactMode: z.boolean(),
  /** Exceptions for personal tokens and connected apps, by id. */
  tokens: z
    .record(z.string().min(1).max(100), z.boolean())
    .refine((tokens) => Object.keys(tokens).length <= maxTokens, `must have at most ${maxTokens} entries`)
    .default({}),
});
export type GatewayPreferences = z.output<typeof gatewayPreferencesSchema>;

const answer = z.object({
  success: z.literal(true),
  ...gatewayPreferencesSchema.shape,
  /** Tools of services that all clients of the caller see on /mcp without compact mode. */
  visibleTools: z.int(),
  /** Built-in tools on /mcp, the only ones in compact mode. */
  helperTools: z.int(),
  /** Additional tools of services, shown only to clients that can answer their questions. */
  askingTools: z.int(),
  compactSuggested: z.boolean(),
});
const ofUser = z.object({ userId: z.string() });

export const getGatewayPreferences = endpoint({
  id: 'getGatewayPreferences',
  method: 'GET',
  path: '/api/users/:userId/gateway-preferences',
  summary: "Returns the caller's settings for their tool list on /mcp",
  access: 'user',
  withoutSession: 'user_not_authenticated',
  params: ofUser,
  answer,
  errors: ['not_found', 'user_not_authenticated', 'unauthenticated'],
});

export const putGatewayPreferences = endpoint({
  id: 'putGatewayPreferences',
  method: 'PUT',
  path: '/api/users/:userId/gateway-preferences',
  summary: "Replaces all of these settings and notifies the caller's connected clients that the list changed",
  access: 'account',
  withoutSession: 'user_not_authenticated',
  params: ofUser,
  body: gatewayPreferencesSchema,
  answer,
  errors: ['invalid_request', 'not_found', 'user_not_authenticated', 'unauthenticated'],
});

export const gatewayEndpoints = [getGatewayPreferences, putGatewayPreferences] as const;
