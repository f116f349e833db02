import { z } from 'zod';
import { endpoint } from './endpoint.ts';

/** A client that the user granted access and has not disconnected. */
export const connectedAppSchema = z.object({
  /** Id of the authorization; not a credential. */
  id: z.string(),
  clientId: z.string(),
  clientName: z.string(),
  clientUri: z.string().nullable(),
  /** Host of the client's metadata document; null for a client that registered without one. */
  publishedBy: z.string().nullable(),
  /** Whether a host vouches for the name by publishing it. */
  verified: z.boolean(),
  /** Redirect target of its sign-in: a host, or the scheme of an application. */
  redirectHost: z.string(),
  scopes: z.array(z.string()),
  /** Addresses that its token is valid for. */
  resources: z.array(z.string()),
  createdAt: z.iso.datetime(),
  /** Recorded at most once a minute. */
  lastUsedAt: z.iso.datetime().nullable(),
  current: z.literal(false),
});
export type ConnectedApp = z.infer<typeof connectedAppSchema>;

/** A browser in which the user is signed in to the web app. */
export const webSessionSchema = z.object({
  id: z.string(),
  createdAt: z.iso.datetime(),
  lastUsedAt: z.iso.datetime().nullable(),
  /** Whether this browser sent the request. */
  current: z.boolean(),
  /** For example "Chrome on Linux", from the User-Agent at sign-in; null if unknown. */
  browserName: z.string().nullable(),
});
export type WebSession = z.infer<typeof webSessionSchema>;

const ofUser = z.object({ userId: z.string() });
const needSession = ['authentication_required', 'unauthenticated'] as const;

export const listConnectedApps = endpoint({
  id: 'listConnectedApps',
  method: 'GET',
  path: '/api/users/:userId/connected-apps',
  summary: 'Lists the clients and browsers that are signed in as the caller, newest first',
  access: 'account',
  params: ofUser,
  answer: z.object({
    success: z.literal(true),
    apps: z.array(connectedAppSchema),
    webSessions: z.array(webSessionSchema),
  }),
  errors: ['not_found', ...needSession],
});

export const disconnectApp = endpoint({
  id: 'disconnectApp',
  method: 'DELETE',
  path: '/api/users/:userId/connected-apps/:id',
  summary: 'Disconnects a client or signs out a browser of the caller: its tokens stop working immediately',
  access: 'account',
  params: ofUser.extend({ id: z.string().max(200) }),
  answer: z.object({ success: z.literal(true) }),
  errors: ['not_found', ...needSession],
});

export const signOutEverywhere = endpoint({
  id: 'signOutEverywhere',
  method: 'POST',
  path: '/auth/sign-out-everywhere',
  summary: 'Signs the caller out of every browser, including this one; connected apps stay connected',
  access: 'account',
  answer: z.object({ success: z.literal(true), signedOut: z.int() }),
  errors: [...needSession],
});

export const connectedAppEndpoints = [listConnectedApps, disconnectApp, signOutEverywhere] as const;
