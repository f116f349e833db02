import type { ReactNode } from 'react';
import { Notice } from '#ui/state/notice.tsx';
import { describeFailure } from '#web/texts/failure-text.ts';
import { failureTitles, type UserFailure } from './user-failures.ts';

/** The red box: the specification's text of the failure, the reason if it says more, and the user. */
export function FailureNotice({ work, error, user, action }: UserFailure & { action?: ReactNode }) {
  const { title, reason } = describeFailure(failureTitles[work], error);
  return (
    <Notice tone="bad" action={action}>
      <strong className="font-medium">{title}</strong>
      {reason !== undefined && (
        <p dir="auto" className="text-[0.8125rem] text-quiet">
          {reason}
        </p>
      )}
      {user !== undefined && <p className="text-[0.8125rem] wrap-anywhere text-quiet">User: {user}</p>}
    </Notice>
  );
}
