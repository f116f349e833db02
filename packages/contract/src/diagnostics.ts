import { z } from 'zod';
import { endpoint } from './endpoint.ts';

/** Steps of a connection attempt, in order. A client starts with `registration` or with `metadata-document`. */
export const connectionSteps = [
  'registration',
  'metadata-document',
  'authorize',
  'consent',
  'token',
  'first-request',
  'era',
  'tools-listed',
  'first-call',
] as const;
export const connectionStepSchema = z.enum(connectionSteps);
export type ConnectionStep = z.infer<typeof connectionStepSchema>;

export const connectionAttemptSchema = z.object({
  id: z.string(),
  client: z.object({
    name: z.string(),
    /** null for a program that uses a personal access token. */
    clientId: z.string().nullable(),
    /** Truncated, and without characters that hide or reorder text. */
    userAgent: z.string(),
  }),
  startedAt: z.iso.datetime(),
  lastAt: z.iso.datetime(),
  /** legacy: opened with initialize (up to 2025-11-25); modern: 2026-07-28. null: not reached. */
  era: z.enum(['legacy', 'modern']).nullable(),
  protocolVersion: z.string().nullable(),
  /** failed: a step failed, and neither it nor a later one has passed since. working: tools were listed or called. */
  status: z.enum(['working', 'failed', 'unfinished']),
  /** All `connectionSteps`, in order. */
  steps: z.array(
    z.object({
      step: connectionStepSchema,
      /**
       * warned: passed, with a related problem. skipped: not needed by this client. not-reached: never, or not since an
       * earlier step failed.
       */
      status: z.enum(['passed', 'warned', 'failed', 'not-reached', 'skipped']),
      at: z.iso.datetime().nullable(),
      /** Result of the step, in plain words. */
      detail: z.string().nullable(),
      /** Remedy, in plain words. */
      advice: z.string().nullable(),
    }),
  ),
});
export type ConnectionAttempt = z.infer<typeof connectionAttemptSchema>;

/** A client's metadata document that could not be fetched. It belongs to no user, because it is fetched before the sign-in. */
export const documentFaultSchema = z.object({
  /** Name of a well-known client, else the host. */
  client: z.string(),
  /** Address of the document, which is the client's id. */
  address: z.string(),
  /** Short description of the failure. */
  fault: z.string(),
  advice: z.string(),
  /** The broker has a cached copy, so users of the client can still sign in. */
  hasCopy: z.boolean(),
  /** Number of failures since the last success. */
  times: z.number().int().positive(),
  firstAt: z.iso.datetime(),
  lastAt: z.iso.datetime(),
});
export type DocumentFault = z.infer<typeof documentFaultSchema>;

const ownAccount = z.object({ userId: z.string() });

export const listConnections = endpoint({
  id: 'listConnections',
  method: 'GET',
  path: '/api/users/:userId/connections',
  summary:
    "Lists connection attempts of the caller's MCP clients, newest first (at most 50, of the last 30 days), and metadata documents of clients that could not be fetched (of well-known clients; administrators see all)",
  access: 'user',
  params: ownAccount,
  answer: z.object({
    success: z.literal(true),
    attempts: z.array(connectionAttemptSchema),
    documentFaults: z.array(documentFaultSchema),
  }),
  errors: ['not_found', 'authentication_required', 'unauthenticated'],
});

export const connectionCheckSchema = z.object({
  /** Stable id in kebab-case. */
  id: z.string(),
  name: z.string(),
  /** warned: works, but something should change. skipped: meaningless after an earlier failure, or not possible from here. */
  status: z.enum(['passed', 'warned', 'failed', 'skipped']),
  detail: z.string(),
  advice: z.string().nullable(),
});
export type ConnectionCheck = z.infer<typeof connectionCheckSchema>;

export const testConnection = endpoint({
  id: 'testConnection',
  method: 'POST',
  path: '/api/users/:userId/connections/self-test',
  summary: 'Runs the steps of common MCP clients against this installation; at most once per 10 s and user',
  access: 'account',
  params: ownAccount,
  body: z.object({
    /** Browser's clock when the button was pressed, in epoch milliseconds. */
    browserTimeMs: z.number().int().nonnegative().max(8.64e15).optional(),
  }),
  answer: z.object({ success: z.literal(true), ok: z.boolean(), checks: z.array(connectionCheckSchema) }),
  errors: ['not_found', 'rate_limited', 'authentication_required', 'unauthenticated', 'invalid_request'],
});

export const diagnosticsEndpoints = [listConnections, testConnection] as const;
