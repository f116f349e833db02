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

export type UserFailure = {
  work: UserWorkName;
  error: unknown;
  /** The address of the user whom it is about, where it is about one. */
  user?: string | undefined;
};

/** What is read again by itself until it is there. Of all else the newest failure alone is told. */
const isLoading = (work: UserWorkName) => work === 'users';

/**
 * What failed last: it stands above the table until it succeeds or is dismissed. One box is shown at a time: the newest, and the
 * list that could not be loaded once that is settled.
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
