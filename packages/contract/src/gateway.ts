import { z } from 'zod';
import { endpoint } from './endpoint.ts';

/** With more tools than this in the list, compact mode is suggested; it is never switched on automatically. */
export const compactSuggestedAbove = 60;

const maxTokens = 200;

/** How the tool list of /mcp looks to a person's clients. */
export const gatewayPreferencesSchema = z.object({
  /** Lists only the helper tools (find_tools, call_tool and their like), which reach all other tools. */
  compactMode: z.boolean(),
  /** Exceptions for single personal tokens and connected apps, by their id. */
  tokens: z
    .record(z.string().min(1).max(100), z.boolean())
    .refine((tokens) => Object.keys(tokens).length <= maxTokens, `must hold at most ${maxTokens}`)
    .default({}),
});
export type GatewayPreferences = z.output<typeof gatewayPreferencesSchema>;

const answer = z.object({
  success: z.literal(true),
  ...gatewayPreferencesSchema.shape,
  /** Tools of services that every client of the caller sees on /mcp without compact mode. */
  visibleTools: z.int(),
  /** Built-in tools, which clients see on /mcp beside these, and alone in compact mode. */
  helperTools: z.int(),
  /** Further tools of services, which only clients see that can answer what these tools ask. */
  askingTools: z.int(),
  compactSuggested: z.boolean(),
});
const ofUser = z.object({ userId: z.string() });

export const getGatewayPreferences = endpoint({
  id: 'getGatewayPreferences',
  method: 'GET',
  path: '/api/users/:userId/gateway-preferences',
  summary: "The caller's preferences for their tool list on /mcp",
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
  summary: "Replaces all of the caller's preferences; their open clients are told that the list changed",
  access: 'account',
  withoutSession: 'user_not_authenticated',
  params: ofUser,
  body: gatewayPreferencesSchema,
  answer,
  errors: ['invalid_request', 'not_found', 'user_not_authenticated', 'unauthenticated'],
});

export const gatewayEndpoints = [getGatewayPreferences, putGatewayPreferences] as const;
