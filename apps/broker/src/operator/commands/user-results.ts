import { z } from 'zod';

// the answers of `souk user …`, as --json prints them

const listedUserSchema = z.object({
  id: z.string(),
  email: z.string(),
  displayName: z.string(),
  provider: z.string(),
  role: z.string(),
  isActive: z.boolean(),
  planId: z.string(),
  createdAt: z.string(),
  lastLoginAt: z.string().nullable(),
});
export const userListSchema = z.object({ users: z.array(listedUserSchema), total: z.int(), pages: z.int() });
export type UserList = z.output<typeof userListSchema>;

export const deactivatedSchema = z.object({
  id: z.string(),
  result: z.enum(['deactivated', 'unchanged']),
  /** Plans and rentals that end. pending: a running broker will cancel them at the payment provider. */
  ending: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      endsAt: z.string().nullable(),
      atProvider: z.enum(['none', 'cancelled', 'pending']),
    }),
  ),
});
export type Deactivated = z.output<typeof deactivatedSchema>;

export const activatedSchema = z.object({ id: z.string(), result: z.enum(['activated', 'unchanged']) });
export type Activated = z.output<typeof activatedSchema>;

export const erasedSchema = z.object({ id: z.string(), result: z.literal('erased') });
export type Erased = z.output<typeof erasedSchema>;

export const signedOutSchema = z.object({ id: z.string(), browsers: z.int(), apps: z.int(), tokens: z.int() });
export type SignedOut = z.output<typeof signedOutSchema>;
