import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { serverIdSchema } from './manifest/manifest-basics.ts';

/** Response of enable and disable (spec part 2, section 7). */
export const toggleAnswerSchema = z.object({
  /** False if the user must act first: see `requiresOAuth`. */
  success: z.boolean(),
  message: z.string(),
  /** The user must sign in at the server: open `authUrl`, then retry. */
  requiresOAuth: z.boolean().optional(),
  authUrl: z.string().optional(),
  /** Id of this sign-in; not a secret. */
  sessionId: z.string().optional(),
  /** Host of the sign-in page. */
  provider: z.string().optional(),
});
export type ToggleAnswer = z.infer<typeof toggleAnswerSchema>;

const oneServer = z.object({ serverId: z.string().max(200) });
const needSession = ['authentication_required', 'unauthenticated'] as const;

export const enableServer = endpoint({
  id: 'enableServer',
  method: 'POST',
  path: '/mcp/:serverId/enable',
  summary: 'Enables a server for the caller; if a sign-in is needed first, returns its address',
  access: 'account',
  params: oneServer,
  answer: toggleAnswerSchema,
  errors: ['not_found', 'forbidden', 'sign_in_unavailable', ...needSession],
});

export const disableServer = endpoint({
  id: 'disableServer',
  method: 'POST',
  path: '/mcp/:serverId/disable',
  summary: 'Disables a server for the caller',
  access: 'account',
  params: oneServer,
  answer: toggleAnswerSchema,
  errors: ['not_found', 'forbidden', ...needSession],
});

const ofUser = z.object({ userId: z.string() });
const preferencesAnswerSchema = z.object({ success: z.literal(true), disabledServers: z.array(z.string()) });

export const getMcpPreferences = endpoint({
  id: 'getMcpPreferences',
  method: 'GET',
  path: '/api/users/:userId/mcp-preferences',
  summary: 'Lists the servers that the caller has disabled',
  access: 'user',
  withoutSession: 'user_not_authenticated',
  params: ofUser,
  answer: preferencesAnswerSchema,
  errors: ['not_found', 'user_not_authenticated', 'unauthenticated'],
});

export const putMcpPreferences = endpoint({
  id: 'putMcpPreferences',
  method: 'PUT',
  path: '/api/users/:userId/mcp-preferences',
  summary: 'Replaces the list of servers that the caller has disabled',
  access: 'account',
  withoutSession: 'user_not_authenticated',
  params: ofUser,
  body: z.object({ disabledServers: z.array(serverIdSchema).max(2000) }),
  answer: preferencesAnswerSchema,
  errors: ['not_found', 'invalid_request', 'user_not_authenticated', 'unauthenticated'],
});

/** Files that programs store for a user, and their total size limit. */
export const keptFilesSchema = z.object({
  totalBytes: z.int(),
  allowedBytes: z.int(),
  servers: z.array(z.object({ serverId: z.string(), name: z.string(), bytes: z.int() })),
});
export type KeptFiles = z.infer<typeof keptFilesSchema>;

const ofUserAndServer = z.object({ userId: z.string(), serverId: z.string().max(200) });

export const getServerAccess = endpoint({
  id: 'getServerAccess',
  method: 'GET',
  path: '/api/users/:userId/server-access/:serverId',
  summary: 'Returns whether the caller may use a server, and whether its tools are in their link',
  access: 'user',
  params: ofUserAndServer,
  answer: z.object({
    success: z.literal(true),
    /** False for a server outside the caller's plan, which can be neither enabled nor disabled. */
    entitled: z.boolean(),
    /** Never true if the caller may not use the server. */
    enabled: z.boolean(),
    /** Present for a program that stores files per user, once any service stores files for the caller. */
    files: keptFilesSchema.optional(),
  }),
  errors: ['not_found', ...needSession],
});

export const listProgramFiles = endpoint({
  id: 'listProgramFiles',
  method: 'GET',
  path: '/api/users/:userId/program-files',
  summary: 'Lists the files that programs store for the caller, by service',
  access: 'user',
  params: ofUser,
  answer: z.object({ success: z.literal(true), files: keptFilesSchema }),
  errors: ['not_found', ...needSession],
});

export const deleteProgramFiles = endpoint({
  id: 'deleteProgramFiles',
  method: 'DELETE',
  path: '/api/users/:userId/program-files/:serverId',
  summary: 'Deletes all files that a program stores for the caller',
  access: 'account',
  params: ofUserAndServer,
  answer: z.object({ success: z.literal(true) }),
  errors: ['not_found', ...needSession],
});

/**
 * State of a user's account at a server that needs one.
 * - none: no account yet
 * - signed-in: tokens, or all headers, are stored
 * - needs-sign-in: the sign-in has expired; `error` gives the reason
 * - headers-missing: some of the user's headers are missing or were refused; then `error` gives the reason
 */
export const upstreamAccountStateSchema = z.enum(['none', 'signed-in', 'needs-sign-in', 'headers-missing']);
export type UpstreamAccountState = z.infer<typeof upstreamAccountStateSchema>;

export const upstreamAccountSchema = z.object({
  serverId: z.string(),
  serverName: z.string(),
  /** How the server identifies users. `headers`: secrets that each user enters. */
  auth: z.enum(['oauth', 'headers']),
  state: upstreamAccountStateSchema,
  enabled: z.boolean(),
  /** Host where the user has signed in. */
  provider: z.string().optional(),
  /** Host of the sign-in page, as last named by the server. */
  signInAt: z.string().optional(),
  /** Time at which the user signed in or entered headers. */
  since: z.iso.datetime().nullable(),
  lastRefreshedAt: z.iso.datetime().nullable(),
  /** Account name at the server, if it provided one. */
  account: z.string().optional(),
  /** Reason why a new sign-in or another header is needed, in plain words. */
  error: z.string().optional(),
  /** Capabilities for this account at the last check; absent before the first. */
  offers: z
    .object({
      tools: z.int(),
      prompts: z.int(),
      resources: z.int(),
      /** Tools that changed since the user's first sign-in and are hidden until an administrator approves them. */
      toolsUnderReview: z.int(),
    })
    .optional(),
  /** Headers that the user supplies; their values never leave the broker. */
  headers: z.array(z.object({ name: z.string(), description: z.string().optional(), present: z.boolean() })),
});
export type UpstreamAccount = z.infer<typeof upstreamAccountSchema>;

export const listUpstreamConnections = endpoint({
  id: 'listUpstreamConnections',
  method: 'GET',
  path: '/api/users/:userId/upstream-connections',
  summary: "Lists the caller's accounts at servers that need one, one entry per server",
  access: 'user',
  params: ofUser,
  answer: z.object({ success: z.literal(true), connections: z.array(upstreamAccountSchema) }),
  errors: ['not_found', ...needSession],
});

export const startUpstreamSignIn = endpoint({
  id: 'startUpstreamSignIn',
  method: 'POST',
  path: '/api/users/:userId/upstream-connections/:serverId/sign-in',
  summary: 'Starts a sign-in at a server, also to replace an existing one',
  access: 'account',
  params: ofUserAndServer,
  answer: z.object({ success: z.literal(true), authUrl: z.string(), sessionId: z.string(), provider: z.string() }),
  errors: ['not_found', 'invalid_request', 'sign_in_unavailable', ...needSession],
});

/** Header value: visible ASCII with inner spaces, which prevents injected line breaks (RFC 9110, section 5.5). */
export const headerValueSchema = z
  .string()
  .min(1, 'must not be empty')
  .max(4096, 'must be at most 4096 characters')
  .regex(/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/, 'must be one line of plain characters');

export const putUpstreamHeaders = endpoint({
  id: 'putUpstreamHeaders',
  method: 'PUT',
  path: '/api/users/:userId/upstream-connections/:serverId',
  summary: "Stores the caller's headers for a server; their values are never returned",
  access: 'account',
  params: ofUserAndServer,
  body: z.object({ headers: z.record(z.string().max(64), headerValueSchema) }),
  answer: z.object({ success: z.literal(true), connection: upstreamAccountSchema }),
  errors: ['not_found', 'invalid_request', ...needSession],
});

export const deleteUpstreamConnection = endpoint({
  id: 'deleteUpstreamConnection',
  method: 'DELETE',
  path: '/api/users/:userId/upstream-connections/:serverId',
  summary: "Deletes the caller's tokens or headers for a server, and revokes the tokens if the server supports it",
  access: 'account',
  params: ofUserAndServer,
  answer: z.object({ success: z.literal(true), message: z.string() }),
  errors: ['not_found', ...needSession],
});

export const finishUpstreamSignIn = endpoint({
  id: 'finishUpstreamSignIn',
  method: 'POST',
  path: '/mcp/oauth/callback',
  summary: 'Completes a sign-in at a server with the parameters returned by its authorization server',
  access: 'account',
  body: z.object({
    state: z.string().min(1).max(200),
    code: z.string().max(4096).optional(),
    /** Authorization server that responded (RFC 9207). */
    iss: z.string().max(2048).optional(),
    error: z.string().max(200).optional(),
    /** Server named by the callback address, for authorization servers that do not identify themselves. */
    server: z.string().max(200).optional(),
  }),
  answer: z.object({ success: z.literal(true), message: z.string(), serverId: z.string() }),
  errors: ['sign_in_expired', 'sign_in_refused', 'sign_in_failed', 'foreign_origin', ...needSession],
});

export const upstreamEndpoints = [
  enableServer,
  disableServer,
  getMcpPreferences,
  putMcpPreferences,
  getServerAccess,
  listProgramFiles,
  deleteProgramFiles,
  listUpstreamConnections,
  startUpstreamSignIn,
  putUpstreamHeaders,
  deleteUpstreamConnection,
  finishUpstreamSignIn,
] as const;
