import type { AdminPartProps } from '../admin-screen.tsx';

/** 'User Management': the people of this installation (spec part 2, section 2). */
export function UsersTab(_props: AdminPartProps) {
  return null;
}
