import type { UserProfile } from '@souk/contract/identity.ts';
import { roleOf } from './role.ts';
import type { User } from './user-store.ts';

export const freePlan = { planId: 'free', planStatus: 'active' };

export function presentProfile(
  user: User,
  adminEmails: readonly string[],
  disabledServers: readonly string[],
  plan: { planId: string; planStatus: string },
): UserProfile {
  return {
    id: user.id,
    email: user.email,
    displayName: user.displayName,
    photoURL: user.photoUrl,
    provider: user.provider,
    ...plan,
    disabledServers: [...disabledServers],
    createdAt: user.createdAt.toISOString(),
    role: roleOf(user.email, adminEmails),
  };
}
