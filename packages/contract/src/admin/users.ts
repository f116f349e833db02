import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { lineOrNone } from '../manifest/manifest-basics.ts';

const isoTime = z.iso.datetime();

/** Errors of every administrator call. */
export const adminErrors = ['admin_required', 'unauthenticated', 'authentication_required'] as const;

/** Spec part 2, section 3: "Admin user record". */
export const adminUserSchema = z.object({
  id: z.string(),
  email: z.string(),
  /** null: there are no user names; the screen shows the part of the e-mail address before the @. */
  username: z.string().nullable(),
  displayName: z.string(),
  /** google, oidc or dev, as in the profile. */
  provider: z.string(),
  /** Servers, by id, where the user has signed in with their own account. */
  oauthConnections: z.record(z.string(), z.object({ connected: z.boolean() })),
  /** For display only: ADMIN_EMAILS decides at each request who is an administrator. */
  role: z.enum(['user', 'admin']),
  isActive: z.boolean(),
  createdAt: isoTime,
  lastLoginAt: isoTime.nullable(),
  /** Highest active plan; `free` without one. */
  planId: z.string(),
});
export type AdminUser = z.infer<typeof adminUserSchema>;

export const maxUsersPerPage = 100;

export const listUsers = endpoint({
  id: 'listUsers',
  method: 'GET',
  path: '/admin/users',
  summary: 'Lists the users of this installation, newest first, in pages',
  access: 'admin',
  weight: 3,
  query: z.object({
    page: z.coerce.number().int().min(1).max(1_000_000).default(1),
    limit: z.coerce.number().int().min(1).max(maxUsersPerPage).default(20),
    /** Beginning of an e-mail address or of a word of the name; case-insensitive. */
    search: z.string().trim().max(200).optional(),
    role: z.enum(['user', 'admin']).optional(),
    active: z.enum(['true', 'false']).optional(),
    /** Id of an active plan; `free`: users without one. */
    plan: z.string().max(100).optional(),
  }),
  answer: z.object({
    success: z.literal(true),
    users: z.array(adminUserSchema).max(maxUsersPerPage),
    /** Counts the matching users; `pages` is at least 1. */
    pagination: z.object({ page: z.int(), limit: z.int(), total: z.int(), pages: z.int() }),
    /** Counts of all users, regardless of page and filters. */
    active: z.int(),
    all: z.int(),
  }),
  errors: ['invalid_request', ...adminErrors],
});

export const getAdminStats = endpoint({
  id: 'getAdminStats',
  method: 'GET',
  path: '/admin/dashboard/stats',
  summary: 'Returns the numbers of users, servers, subscriptions and rentals',
  access: 'admin',
  answer: z.object({
    success: z.literal(true),
    stats: z.object({
      users: z.object({ total: z.int(), active: z.int() }),
      servers: z.object({ deployed: z.int(), connected: z.int(), down: z.int() }),
      /** Active items, paid or granted. */
      access: z.object({ subscriptions: z.int(), rentals: z.int(), purchases: z.int(), trials: z.int() }),
    }),
  }),
  errors: adminErrors,
});

/** An administrator's reason, recorded in the audit log. */
export const adminReason = lineOrNone(500)
  .transform((text) => (text === '' ? undefined : text))
  .optional();

const ofUser = z.object({ id: z.string().max(100) });

export const deactivateUser = endpoint({
  id: 'deactivateUser',
  method: 'POST',
  path: '/admin/users/:id/deactivate',
  summary:
    'Blocks a user immediately: sign-ins, connected apps and running calls end, and personal tokens are refused until reactivation. Plans and rentals end with their paid period, or now',
  access: 'admin',
  params: ofUser,
  body: z.strictObject({
    reason: adminReason,
    /** End plans and rentals now instead of with their paid period. */
    endNow: z.boolean().default(false),
    /** Required to deactivate another administrator. */
    confirmAdministrator: z.boolean().default(false),
  }),
  answer: z.object({
    success: z.literal(true),
    /** unchanged: was already deactivated. */
    result: z.enum(['deactivated', 'unchanged']),
    /** Plans and rentals that end as a result. pending: the payment provider did not respond; we retry automatically. */
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
    "Deletes a user's account permanently, as if they had deleted it. Records kept for accounting are anonymized: the address in reasons becomes [erased]",
  access: 'admin',
  params: ofUser,
  body: z.strictObject({
    /** User's e-mail address, as confirmation. */
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
