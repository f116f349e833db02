import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { lineOrNone } from '../manifest/manifest-basics.ts';

const isoTime = z.iso.datetime();

/** What every call of administrators may be refused with. */
export const adminErrors = ['admin_required', 'unauthenticated', 'authentication_required'] as const;

/** Spec part 2, section 3: "Admin user record". */
export const adminUserSchema = z.object({
  id: z.string(),
  email: z.string(),
  /** null: people have no user names here; the screen shows the part of the address before the @. */
  username: z.string().nullable(),
  displayName: z.string(),
  /** As in the profile: google, oidc or dev. */
  provider: z.string(),
  /** By server id: where the person has signed in with an account of their own. */
  oauthConnections: z.record(z.string(), z.object({ connected: z.boolean() })),
  /** Displayed only: who is an administrator, ADMIN_EMAILS says at each request. */
  role: z.enum(['user', 'admin']),
  isActive: z.boolean(),
  createdAt: isoTime,
  lastLoginAt: isoTime.nullable(),
  /** The highest plan that runs; `free` without one. */
  planId: z.string(),
});
export type AdminUser = z.infer<typeof adminUserSchema>;

export const maxUsersOfPage = 100;

export const listUsers = endpoint({
  id: 'listUsers',
  method: 'GET',
  path: '/admin/users',
  summary: 'The users of this installation, the newest first, by pages',
  access: 'admin',
  weight: 3,
  query: z.object({
    page: z.coerce.number().int().min(1).max(1_000_000).default(1),
    limit: z.coerce.number().int().min(1).max(maxUsersOfPage).default(20),
    /** The beginning of an e-mail address or of a word of the name, in any case. */
    search: z.string().trim().max(200).optional(),
    role: z.enum(['user', 'admin']).optional(),
    active: z.enum(['true', 'false']).optional(),
    /** The id of a plan that runs; `free`: those without one. */
    plan: z.string().max(100).optional(),
  }),
  answer: z.object({
    success: z.literal(true),
    users: z.array(adminUserSchema).max(maxUsersOfPage),
    /** It counts the users that match; `pages` is at least 1. */
    pagination: z.object({ page: z.int(), limit: z.int(), total: z.int(), pages: z.int() }),
    /** They count all users, whatever the page and the filters. */
    active: z.int(),
    all: z.int(),
  }),
  errors: ['invalid_request', ...adminErrors],
});

export const getAdminStats = endpoint({
  id: 'getAdminStats',
  method: 'GET',
  path: '/admin/dashboard/stats',
  summary: 'How many users, servers, subscriptions and rentals there are',
  access: 'admin',
  answer: z.object({
    success: z.literal(true),
    stats: z.object({
      users: z.object({ total: z.int(), active: z.int() }),
      servers: z.object({ deployed: z.int(), connected: z.int(), down: z.int() }),
      /** What is running now, paid for or given. */
      access: z.object({ subscriptions: z.int(), rentals: z.int(), purchases: z.int(), trials: z.int() }),
    }),
  }),
  errors: adminErrors,
});

/** Why an administrator does something: kept in the audit log. */
export const adminReason = lineOrNone(500)
  .transform((text) => (text === '' ? undefined : text))
  .optional();

const ofUser = z.object({ id: z.string().max(100) });

export const deactivateUser = endpoint({
  id: 'deactivateUser',
  method: 'POST',
  path: '/admin/users/:id/deactivate',
  summary:
    'Shuts a user out at once: sign-ins, connected apps and running calls end, personal tokens are refused while it lasts. Plans and rentals end with their paid period, or now',
  access: 'admin',
  params: ofUser,
  body: z.strictObject({
    reason: adminReason,
    /** Plans and rentals end now instead of with their paid period. */
    endNow: z.boolean().default(false),
    /** Another administrator is deactivated only with it. */
    confirmAdministrator: z.boolean().default(false),
  }),
  answer: z.object({
    success: z.literal(true),
    /** unchanged: they were deactivated already. */
    result: z.enum(['deactivated', 'unchanged']),
    /** Plans and rentals that end because of it. pending: the payment provider did not answer, and is asked again by itself. */
    ending: z.array(
      z.object({
        id: z.string(),
        name: z.string(),
        endsAt: isoTime.nullable(),
        atProvider: z.enum(['none', 'cancelled', 'pending']),
      }),
    ),
  }),
  errors: ['invalid_request', 'not_found', 'own_account', 'confirm_administrator', 'sign_in_again', ...adminErrors],
});

export const activateUser = endpoint({
  id: 'activateUser',
  method: 'POST',
  path: '/admin/users/:id/activate',
  summary: 'Lets a deactivated user sign in again; personal tokens that are neither revoked nor expired work again',
  access: 'admin',
  params: ofUser,
  body: z.strictObject({ reason: adminReason }),
  answer: z.object({ success: z.literal(true), result: z.enum(['activated', 'unchanged']) }),
  errors: ['invalid_request', 'not_found', ...adminErrors],
});

export const eraseUser = endpoint({
  id: 'eraseUser',
  method: 'POST',
  path: '/admin/users/:id/erase',
  summary:
    "Deletes a user's account for good, as their own deletion does. What stays for the books names nobody: their address in reasons becomes [erased]",
  access: 'admin',
  params: ofUser,
  body: z.strictObject({
    /** The user's e-mail address, as a confirmation. */
    confirm: z.string().max(320),
    reason: adminReason,
  }),
  answer: z.object({ success: z.literal(true) }),
  errors: [
    'invalid_request',
    'not_found',
    'own_account',
    'account_not_confirmed',
    'sign_in_again',
    'payments_unavailable',
    ...adminErrors,
  ],
});

export const adminUserEndpoints = [listUsers, getAdminStats, deactivateUser, activateUser, eraseUser] as const;
