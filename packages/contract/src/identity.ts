import { z } from 'zod';
import { accountEndpoints } from './account.ts';
import { connectedAppEndpoints } from './connected-apps.ts';
import { endpoint } from './endpoint.ts';

/** OAuth scopes (spec part 1, section 6). */
export const mcpScopes = ['mcp:tools', 'mcp:prompts', 'mcp:resources'] as const;
export const mcpScopeSchema = z.enum(mcpScopes);
export type McpScope = z.infer<typeof mcpScopeSchema>;

/** Profile of the caller (spec part 1, section 3, with the fields added by the clarifications). */
export const userProfileSchema = z.object({
  id: z.string(),
  email: z.string(),
  displayName: z.string(),
  photoURL: z.string().nullable(),
  /** google, oidc for a company's own provider, or dev for users of the stand-in. */
  provider: z.string(),
  planId: z.string(),
  planStatus: z.string(),
  disabledServers: z.array(z.string()),
  createdAt: z.iso.datetime(),
  role: z.enum(['user', 'admin']),
});
export type UserProfile = z.infer<typeof userProfileSchema>;

export const getUserProfile = endpoint({
  id: 'getUserProfile',
  method: 'GET',
  path: '/v2/user/profile',
  summary: "Returns the caller's profile",
  access: 'user',
  answer: userProfileSchema,
  errors: ['unauthenticated', 'authentication_required'],
});

export const personalTokenSchema = z.object({
  id: z.string(),
  name: z.string(),
  /** First characters of the token, to tell tokens apart. */
  prefix: z.string(),
  scopes: z.array(mcpScopeSchema),
  /** Revoked tokens are not listed. */
  status: z.enum(['active', 'expired']),
  createdAt: z.iso.datetime(),
  expiresAt: z.iso.datetime(),
  /** Recorded at most once a minute. */
  lastUsedAt: z.iso.datetime().nullable(),
});
export type PersonalToken = z.infer<typeof personalTokenSchema>;

/** Fields of all responses to personal-token calls (spec part 1, section 7). */
const succeeded = { success: z.literal(true), error: z.null() };

export const createPersonalTokenBodySchema = z.object({
  name: z
    .string()
    .trim()
    .min(1)
    .max(80)
    // shown in lists, so it must not hide or reorder text
    .regex(/^[^\p{Cc}\u061C\u200B-\u200F\u202A-\u202E\u2066-\u2069]*$/u, 'must not contain control characters'),
  scopes: z
    .array(mcpScopeSchema)
    .min(1)
    .default([...mcpScopes])
    .transform((scopes) => mcpScopes.filter((scope) => scopes.includes(scope))),
  expiresInDays: z.int().min(1).max(366).default(90),
});

export const createPersonalToken = endpoint({
  id: 'createPersonalToken',
  method: 'POST',
  path: '/auth/pat/create',
  summary: 'Creates a personal access token and returns it; it cannot be retrieved later',
  access: 'account',
  body: createPersonalTokenBodySchema,
  invalidInput: 'pat_create_failed',
  answer: personalTokenSchema.extend({ ...succeeded, token: z.string() }),
  errors: ['pat_create_failed', 'pat_create_unavailable', 'pat_too_many', 'unauthenticated', 'authentication_required'],
});

export const listPersonalTokens = endpoint({
  id: 'listPersonalTokens',
  method: 'GET',
  path: '/auth/pat/list',
  summary: "Lists the caller's personal access tokens, newest first, without revoked ones",
  access: 'account',
  answer: z.object({ ...succeeded, tokens: z.array(personalTokenSchema) }),
  errors: ['pat_list_failed', 'unauthenticated', 'authentication_required'],
});

export const revokePersonalToken = endpoint({
  id: 'revokePersonalToken',
  method: 'DELETE',
  path: '/auth/pat/:id',
  summary: 'Revokes a personal access token of the caller; it stops working immediately',
  access: 'account',
  params: z.object({ id: z.string().max(100) }),
  invalidInput: 'pat_revoke_failed',
  answer: z.object(succeeded),
  errors: ['pat_revoke_failed', 'pat_revoke_unavailable', 'unauthenticated', 'authentication_required'],
});

export const getPersonalTokenStats = endpoint({
  id: 'getPersonalTokenStats',
  method: 'GET',
  path: '/auth/pat/stats',
  summary: "Returns the number of the caller's personal access tokens by status",
  access: 'account',
  answer: z.object({
    ...succeeded,
    stats: z.object({
      total: z.int(),
      active: z.int(),
      expired: z.int(),
      revoked: z.int(),
      lastUsedAt: z.iso.datetime().nullable(),
    }),
  }),
  errors: ['pat_stats_failed', 'unauthenticated', 'authentication_required'],
});

export const identityEndpoints = [
  getUserProfile,
  createPersonalToken,
  listPersonalTokens,
  revokePersonalToken,
  getPersonalTokenStats,
  ...connectedAppEndpoints,
  ...accountEndpoints,
] as const;
