import { z } from 'zod';
import { endpoint } from './endpoint.ts';

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
});
export type AdminUser = z.infer<typeof adminUserSchema>;

export const maxUsersOfPage = 100;

export const listUsers = endpoint({
  id: 'listUsers',
  method: 'GET',
  path: '/admin/users',
  summary: 'The users of this installation, the newest first, by pages',
  access: 'admin',
  query: z.object({
    page: z.coerce.number().int().min(1).max(1_000_000).default(1),
    limit: z.coerce.number().int().min(1).max(maxUsersOfPage).default(20),
  }),
  answer: z.object({
    success: z.literal(true),
    users: z.array(adminUserSchema).max(maxUsersOfPage),
    /** `pages` is at least 1. */
    pagination: z.object({ page: z.int(), limit: z.int(), total: z.int(), pages: z.int() }),
    /** Of all users, not of this page. */
    active: z.int(),
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

export const adminUserEndpoints = [listUsers, getAdminStats] as const;
