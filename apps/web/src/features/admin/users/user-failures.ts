import { useCallback, useState } from 'react';

/** Texts of what can fail in this tab (spec part 2, section 8; those from 'deactivate' on are ours). */
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

export type UserFailure = {
  work: UserWorkName;
  error: unknown;
  /** E-mail address of the user, if it is about one. */
  user?: string | undefined;
};

/** The failure of the list stays until it loads. Of all other failures, only the newest is kept. */
const isLoading = (work: UserWorkName) => work === 'users';

/**
 * The last failure, shown above the table until the action succeeds or the failure is dismissed. Only the newest is shown;
 * the list's failure reappears once a newer one is cleared.
 */
export function useUserFailures() {
  const [failures, setFailures] = useState<readonly UserFailure[]>([]);
  const without = (all: readonly UserFailure[], work: UserWorkName) => all.filter((one) => one.work !== work);
  const report = useCallback(
    (work: UserWorkName, error: unknown, user?: string) =>
      setFailures((all) => [
        ...(isLoading(work) ? without(all, work) : all.filter((one) => isLoading(one.work))),
        { work, error, user },
      ]),
    [],
  );
  const clear = useCallback(
    (work: UserWorkName) => setFailures((all) => (all.some((one) => one.work === work) ? without(all, work) : all)),
    [],
  );
  return { failure: failures.at(-1), report, clear };
}
