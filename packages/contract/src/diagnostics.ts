import { z } from 'zod';
import { endpoint } from './endpoint.ts';

/** The steps of a client's way in, in their order. A client comes by `registration` or by `metadata-document`. */
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
    /** null for a program with a personal access token. */
    clientId: z.string().nullable(),
    /** Short, without characters that hide or turn text around. */
    userAgent: z.string(),
  }),
  startedAt: z.iso.datetime(),
  lastAt: z.iso.datetime(),
  /** legacy: opened by initialize (up to 2025-11-25); modern: 2026-07-28. null: it did not come that far. */
  era: z.enum(['legacy', 'modern']).nullable(),
  protocolVersion: z.string().nullable(),
  /** failed: a step failed, and neither it nor a later one passed since; working: tools were listed or called. */
  status: z.enum(['working', 'failed', 'unfinished']),
  /** All of `connectionSteps`, in that order. */
  steps: z.array(
    z.object({
      step: connectionStepSchema,
      /**
       * warned: it passed, and something near it did not; skipped: this client does not need it; not-reached: it has not
       * been there, or not since a step before it failed.
       */
      status: z.enum(['passed', 'warned', 'failed', 'not-reached', 'skipped']),
      at: z.iso.datetime().nullable(),
      /** What happened, in plain words. */
      detail: z.string().nullable(),
      /** What to do about it, in plain words. */
      advice: z.string().nullable(),
    }),
  ),
});
export type ConnectionAttempt = z.infer<typeof connectionAttemptSchema>;

/** A client's published description that could not be fetched: of no person, since nobody was signed in yet. */
export const documentFaultSchema = z.object({
  /** The name of a well-known client, else the host. */
  client: z.string(),
  /** Of the description: the client's id. */
  address: z.string(),
  /** In a few words. */
  fault: z.string(),
  advice: z.string(),
  /** Its people sign in all the same: the server has a copy. */
  hasCopy: z.boolean(),
  /** How often it failed since it last worked. */
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
    "The attempts of the caller's own MCP clients to connect, newest first: at most 50, of the last 30 days; and which clients' documents could not be fetched: of well-known clients, for an administrator of all",
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
  /** Stable, kebab-case. */
  id: z.string(),
  name: z.string(),
  /** warned: it works without, but something should change. skipped: an earlier fault makes it meaningless, or it cannot be made from here. */
  status: z.enum(['passed', 'warned', 'failed', 'skipped']),
  detail: z.string(),
  advice: z.string().nullable(),
});
export type ConnectionCheck = z.infer<typeof connectionCheckSchema>;

export const testConnection = endpoint({
  id: 'testConnection',
  method: 'POST',
  path: '/api/users/:userId/connections/self-test',
  summary: 'Goes through the steps of common MCP clients against this installation; at most once in 10 s for each user',
  access: 'account',
  params: ownAccount,
  body: z.object({
    /** The clock of the browser, epoch milliseconds, read when the button was pressed. */
    browserTimeMs: z.number().int().nonnegative().max(8.64e15).optional(),
  }),
  answer: z.object({ success: z.literal(true), ok: z.boolean(), checks: z.array(connectionCheckSchema) }),
  errors: ['not_found', 'rate_limited', 'authentication_required', 'unauthenticated', 'invalid_request'],
});

export const diagnosticsEndpoints = [listConnections, testConnection] as const;
