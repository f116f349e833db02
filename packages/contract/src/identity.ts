import { z } from 'zod';
import { accountEndpoints } from './account.ts';
import { connectedAppEndpoints } from './connected-apps.ts';
import { endpoint } from './endpoint.ts';

/** The three scopes of the product (spec part 1, section 6). */
export const mcpScopes = ['mcp:tools', 'mcp:prompts', 'mcp:resources'] as const;
export const mcpScopeSchema = z.enum(mcpScopes);
export type McpScope = z.infer<typeof mcpScopeSchema>;

/** Who the caller is (spec part 1, section 3: profile response, with the fields that the clarifications add). */
export const userProfileSchema = z.object({
  id: z.string(),
  email: z.string(),
  displayName: z.string(),
  photoURL: z.string().nullable(),
  /** google, oidc for a company's own provider, or dev for the stand-in's users. */
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
  summary: 'The profile of the caller',
  access: 'user',
  answer: userProfileSchema,
  errors: ['unauthenticated', 'authentication_required'],
});

export const personalTokenSchema = z.object({
  id: z.string(),
  name: z.string(),
  /** The first characters of the token, so that its owner can tell two apart. */
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

/** Answers of the personal-token calls carry success and error (spec part 1, section 7). */
const succeeded = { success: z.literal(true), error: z.null() };

export const createPersonalTokenBodySchema = z.object({
  name: z
    .string()
    .trim()
    .min(1)
    .max(80)
    // it is shown in lists: no characters that hide or reorder text
    .regex(/^[^\p{Cc}\u061C\u200B-\u200F\u202A-\u202E\u2066-\u2069]*$/u, 'must not hold control characters'),
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
  summary: 'Creates a personal access token; the token itself is in this answer only',
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
  summary: 'The personal access tokens of the caller, newest first; revoked ones are left out',
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
  summary: 'How many personal access tokens the caller has, by status',
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
