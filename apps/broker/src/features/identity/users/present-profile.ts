import type { UserProfile } from '@souk/contract/identity.ts';
import { roleOf } from './role.ts';
import type { User } from './user-store.ts';

/**
 * What leaves of a user. Everybody is on the free plan with nothing switched off: plans and preferences belong to later
 * features, which will bring their part in through app.ts.
 */
export function presentProfile(user: User, adminEmails: readonly string[]): UserProfile {
  return {
    id: user.id,
    email: user.email,
    displayName: user.displayName,
    photoURL: user.photoUrl ?? null,
    provider: user.provider,
    planId: 'free',
    planStatus: 'active',
    disabledServers: [],
    createdAt: user.createdAt.toISOString(),
    role: roleOf(user.email, adminEmails),
  };
}
