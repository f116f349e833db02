import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { serverIdSchema } from './manifest/manifest-basics.ts';

/** The reply of enable and disable (spec part 2, section 7). */
export const toggleAnswerSchema = z.object({
  /** False when the person must do something first: `requiresOAuth` says what. */
  success: z.boolean(),
  message: z.string(),
  /** The person must sign in at the server: open `authUrl`, then ask again. */
  requiresOAuth: z.boolean().optional(),
  authUrl: z.string().optional(),
  /** Identifies this sign-in; it is not a secret. */
  sessionId: z.string().optional(),
  /** Host at which the person signs in. */
  provider: z.string().optional(),
});
export type ToggleAnswer = z.infer<typeof toggleAnswerSchema>;

const oneServer = z.object({ serverId: z.string().max(200) });
const needSession = ['authentication_required', 'unauthenticated'] as const;

export const enableServer = endpoint({
  id: 'enableServer',
  method: 'POST',
  path: '/mcp/:serverId/enable',
  summary: 'Switches a server on for the caller; answers where to sign in if that is needed first',
  access: 'account',
  params: oneServer,
  answer: toggleAnswerSchema,
  errors: ['not_found', 'forbidden', 'sign_in_unavailable', ...needSession],
});

export const disableServer = endpoint({
  id: 'disableServer',
  method: 'POST',
  path: '/mcp/:serverId/disable',
  summary: 'Switches a server off for the caller',
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
  summary: 'The servers that the caller has switched off',
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
  summary: 'Replaces the list of servers that the caller has switched off',
  access: 'account',
  withoutSession: 'user_not_authenticated',
  params: ofUser,
  body: z.object({ disabledServers: z.array(serverIdSchema).max(2000) }),
  answer: preferencesAnswerSchema,
  errors: ['not_found', 'invalid_request', 'user_not_authenticated', 'unauthenticated'],
});

/** The files that programs keep for a person, and what all of them may take. */
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
  summary: 'Whether the caller may use a server at all, and whether its tools are in their link',
  access: 'user',
  params: ofUserAndServer,
  answer: z.object({
    success: z.literal(true),
    /** False for a server that is not in the caller's plan: it can be switched neither on nor off. */
    entitled: z.boolean(),
    /** Never true for a server that the caller may not use. */
    enabled: z.boolean(),
    /** For a program that keeps files for each person, once services keep any for the caller. */
    files: keptFilesSchema.optional(),
  }),
  errors: ['not_found', ...needSession],
});

export const listProgramFiles = endpoint({
  id: 'listProgramFiles',
  method: 'GET',
  path: '/api/users/:userId/program-files',
  summary: 'The files that programs keep for the caller, by service',
  access: 'user',
  params: ofUser,
  answer: z.object({ success: z.literal(true), files: keptFilesSchema }),
  errors: ['not_found', ...needSession],
});

export const deleteProgramFiles = endpoint({
  id: 'deleteProgramFiles',
  method: 'DELETE',
  path: '/api/users/:userId/program-files/:serverId',
  summary: 'Deletes everything that a program keeps for the caller in files',
  access: 'account',
  params: ofUserAndServer,
  answer: z.object({ success: z.literal(true) }),
  errors: ['not_found', ...needSession],
});

/**
 * The state of a person's account at a server that needs one.
 * - none: no account yet
 * - signed-in: tokens, or all headers, are stored
 * - needs-sign-in: the sign-in has ended; `error` says why
 * - headers-missing: some of the headers that each person supplies are missing, or were refused: then `error` says so
 */
export const upstreamAccountStateSchema = z.enum(['none', 'signed-in', 'needs-sign-in', 'headers-missing']);
export type UpstreamAccountState = z.infer<typeof upstreamAccountStateSchema>;

export const upstreamAccountSchema = z.object({
  serverId: z.string(),
  serverName: z.string(),
  /** How the server identifies people. `headers`: secrets that each person enters. */
  auth: z.enum(['oauth', 'headers']),
  state: upstreamAccountStateSchema,
  enabled: z.boolean(),
  /** Host at which the person has signed in. */
  provider: z.string().optional(),
  /** Host to which they are sent to sign in, as the server named it last. */
  signInAt: z.string().optional(),
  /** When the person signed in or entered headers. */
  since: z.iso.datetime().nullable(),
  lastRefreshedAt: z.iso.datetime().nullable(),
  /** Who the person is there, where the server said so. */
  account: z.string().optional(),
  /** Why a new sign-in, or another header, is needed, in plain words. */
  error: z.string().optional(),
  /** What the server offers to this account, since it was last asked; absent until then. */
  offers: z
    .object({
      tools: z.int(),
      prompts: z.int(),
      resources: z.int(),
      /** Tools that changed since the person's first sign-in and are hidden until an administrator approves them. */
      toolsUnderReview: z.int(),
    })
    .optional(),
  /** Headers that the person supplies; their values never leave the broker. */
  headers: z.array(z.object({ name: z.string(), description: z.string().optional(), present: z.boolean() })),
});
export type UpstreamAccount = z.infer<typeof upstreamAccountSchema>;

export const listUpstreamConnections = endpoint({
  id: 'listUpstreamConnections',
  method: 'GET',
  path: '/api/users/:userId/upstream-connections',
  summary: "The caller's accounts at servers that need one, one entry for each such server",
  access: 'user',
  params: ofUser,
  answer: z.object({ success: z.literal(true), connections: z.array(upstreamAccountSchema) }),
  errors: ['not_found', ...needSession],
});

export const startUpstreamSignIn = endpoint({
  id: 'startUpstreamSignIn',
  method: 'POST',
  path: '/api/users/:userId/upstream-connections/:serverId/sign-in',
  summary: 'Begins a sign-in at a server, also to replace the one before',
  access: 'account',
  params: ofUserAndServer,
  answer: z.object({ success: z.literal(true), authUrl: z.string(), sessionId: z.string(), provider: z.string() }),
  errors: ['not_found', 'invalid_request', 'sign_in_unavailable', ...needSession],
});

/** A header's value: visible ASCII with inner spaces, so that no line break can be smuggled in (RFC 9110, section 5.5). */
export const headerValueSchema = z
  .string()
  .min(1, 'must not be empty')
  .max(4096, 'must be at most 4096 characters')
  .regex(/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/, 'must be one line of plain characters');

export const putUpstreamHeaders = endpoint({
  id: 'putUpstreamHeaders',
  method: 'PUT',
  path: '/api/users/:userId/upstream-connections/:serverId',
  summary: 'Stores the headers that the caller supplies for a server; their values are never answered',
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
  summary: "Deletes the caller's tokens or headers for a server, and revokes tokens where the server supports it",
  access: 'account',
  params: ofUserAndServer,
  answer: z.object({ success: z.literal(true), message: z.string() }),
  errors: ['not_found', ...needSession],
});

export const finishUpstreamSignIn = endpoint({
  id: 'finishUpstreamSignIn',
  method: 'POST',
  path: '/mcp/oauth/callback',
  summary: 'Finishes a sign-in at a server, with the parameters that its authorization server returned',
  access: 'account',
  body: z.object({
    state: z.string().min(1).max(200),
    code: z.string().max(4096).optional(),
    /** RFC 9207: which authorization server answered. */
    iss: z.string().max(2048).optional(),
    error: z.string().max(200).optional(),
    /** What the address that it answered to has for it: which server, where the authorization server cannot say who it is. */
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
