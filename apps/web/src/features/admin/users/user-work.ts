import { useQuery, useQueryClient } from '@tanstack/react-query';
import { createContext, use, useEffect } from 'react';
import { accountKey } from '#web/loading/account-key.ts';
import { usersKey } from '../admin-api.ts';
import type { SignInAgain } from '../sign-in-again.tsx';
import { userBillingQuery } from './user-queries.ts';
import type { UserWorkName } from './user-failures.ts';
import { useDialogText } from '../use-dialog-text.ts';
import { useSingleMutation } from '../use-single-mutation.ts';

export type UserWork = {
  adminId: string;
  /** Shows a failure above the table. */
  report: (work: UserWorkName, error: unknown, user?: string) => void;
  clear: (work: UserWorkName) => void;
  signInAgain: SignInAgain;
};

export const UserWorkContext = createContext<UserWork | undefined>(undefined);

export function useUserWork(): UserWork {
  const work = use(UserWorkContext);
  if (!work) throw new Error('useUserWork needs a UserWorkContext');
  return work;
}

/**
 * Fetches what a user owns, and their credits. A failure is also shown above the table.
 * @param email undefined if only their id is known yet
 */
export function useUserBilling(userId: string, email?: string) {
  const { adminId, report, clear } = useUserWork();
  const billing = useQuery({ ...userBillingQuery(adminId, userId), refetchOnMount: 'always' });
  const { error, isSuccess } = billing;
  useEffect(() => {
    if (error) report('billing', error, email ?? userId);
    else if (isSuccess) clear('billing');
  }, [error, isSuccess, email, userId, report, clear]);
  return billing;
}

/**
 * A change of a user. Before the dialog closes, the tab is refetched; for the administrator's own account, so is all their
 * other data. A failure is also shown above the table.
 */
export function useUserChange<Input, Answer>(
  work: UserWorkName,
  user: { id: string; email: string },
  parts: {
    change: (input: Input) => Promise<Answer>;
    onDone: (answer: Answer, input: Input) => void;
    onFailed?: (error: unknown) => Promise<void>;
  },
) {
  const queries = useQueryClient();
  const { adminId, report, clear } = useUserWork();
  return useSingleMutation({
    mutationFn: parts.change,
    onMutate: () => clear(work),
    onSuccess: async (answer, input) => {
      await queries.invalidateQueries({ queryKey: user.id === adminId ? accountKey(adminId) : usersKey(adminId) });
      parts.onDone(answer, input);
    },
    onError: async (error) => {
      report(work, error, user.email);
      await parts.onFailed?.(error);
    },
  });
}

/** Text typed in a dialog about a user; it survives the end of the session. */
export function useUserText<Initial extends string | undefined>(
  work: UserWorkName,
  { user, open }: { user: { id: string }; open: boolean },
  field: string,
  initial: Initial,
) {
  const { adminId } = useUserWork();
  return useDialogText({ adminId, dialog: `${work}.${user.id}`, open }, field, initial);
}
