import type { UserProfile } from '@souk/contract/identity.ts';
import { roleOf } from './role.ts';
import type { User } from './user-store.ts';

/**
 * What of a user leaves the broker. All users are on the free plan: plans belong to a later feature, which will bring its part in
 * through app.ts, as `disabledServers` comes.
 */
export function presentProfile(
  user: User,
  adminEmails: readonly string[],
  disabledServers: readonly string[],
): UserProfile {
  return {
    id: user.id,
    email: user.email,
    displayName: user.displayName,
    photoURL: user.photoUrl ?? null,
    provider: user.provider,
    planId: 'free',
    planStatus: 'active',
    disabledServers: [...disabledServers],
    createdAt: user.createdAt.toISOString(),
    role: roleOf(user.email, adminEmails),
  };
}
