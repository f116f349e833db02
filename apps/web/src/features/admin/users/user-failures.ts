import { useCallback, useState } from 'react';

/** What can fail in this tab, with its text (spec part 2, section 8; those from 'deactivate' on are ours). */
export const failureTitles = {
  users: 'Failed to load users',
  billing: 'Failed to load user billing',
  credits: 'Failed to update credits',
  add: 'Failed to add subscription',
  remove: 'Failed to remove subscription',
  deactivate: 'Failed to deactivate user',
  activate: 'Failed to reactivate user',
  erase: 'Failed to erase user',
  refund: 'Failed to refund the payment',
  signOut: 'Failed to sign the user out',
  export: "Failed to export the user's data",
  disconnect: 'Failed to disconnect the app',
  revoke: 'Failed to revoke the token',
} as const;
export type UserWorkName = keyof typeof failureTitles;

export type UserFailure = { work: UserWorkName; error: unknown };

/** What failed last, each kind of work once: it stands above the table until it succeeds or is dismissed. */
export function useUserFailures() {
  const [failures, setFailures] = useState<readonly UserFailure[]>([]);
  const without = (all: readonly UserFailure[], work: UserWorkName) => all.filter((one) => one.work !== work);
  const report = useCallback(
    (work: UserWorkName, error: unknown) => setFailures((all) => [...without(all, work), { work, error }]),
    [],
  );
  const clear = useCallback(
    (work: UserWorkName) => setFailures((all) => (all.some((one) => one.work === work) ? without(all, work) : all)),
    [],
  );
  return { failures, report, clear };
}
