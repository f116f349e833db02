import type { UserBilling } from '@souk/contract/admin/billing.ts';
import { useState } from 'react';
import { formatCount } from '#ui/text/amount.ts';
import { Field } from '#ui/form/field.tsx';
import { useFirstErrorFocus } from '#ui/form/focus-first-error.ts';
import { Input } from '#ui/form/input.tsx';
import { Notice } from '#ui/state/notice.tsx';
import { Skeleton } from '#ui/state/skeleton.tsx';
import { useToast } from '#ui/overlay/use-toast.ts';
import { adminApi } from '../../admin-api.ts';
import { isStaleWrite } from '../../refusals.ts';
import { FailureNotice } from '../failure-notice.tsx';
import { creditsWord } from '../user-words.ts';
import { useUserBilling, useUserChange, useUserText } from '../user-work.ts';
import { creditsFault, creditsText, isNumber } from './credits-text.ts';
import { FormDialog, type UserDialogProps } from './form-dialog.tsx';
import { ReasonField } from './reason-field.tsx';
import { RetryBilling } from './retry-billing.tsx';

type Credits = UserBilling['credits'];

/**
 * Sets the credit balance. The call names the balance that was shown: if it has changed since, the dialog shows the new one,
 * keeps the typed number and asks again.
 */
export function EditCreditsDialog({ user, open, onClose }: UserDialogProps) {
  const toast = useToast();
  const billing = useUserBilling(user.id, user.email);
  const [shown, setShown] = useState<Credits>();
  const [outdatedBalance, setOutdatedBalance] = useState<number>();
  const [typed, setTyped] = useUserText('credits', { user, open }, 'credits', undefined);
  /** The typed text was not a number and became 0, which the administrator may not have noticed while typing. */
  const [isReplaced, setIsReplaced] = useState(false);
  const [reason, setReason] = useUserText('credits', { user, open }, 'reason', '');
  const [errors, setErrors] = useState<{ credits?: string | undefined }>({});
  const form = useFirstErrorFocus(errors);
  // data from before the opening may be stale, and later data must not change the form
  if (!shown && billing.data && billing.isFetchedAfterMount) setShown(billing.data.billing.credits);
  const save = useUserChange('credits', user, {
    change: (credits: number) =>
      adminApi.setUserCredits({ params: { id: user.id }, body: { credits, reason, expectedBalance: shown?.balance } }),
    onDone: ({ credits }) => {
      toast.success(`${user.email} now has ${creditsWord(credits)}.`);
      onClose();
    },
    onFailed: async (error) => {
      if (!isStaleWrite(error)) return;
      const { data } = await billing.refetch();
      if (!data) return;
      if (typed === undefined) setTyped(String(shown?.balance ?? 0));
      setOutdatedBalance(shown?.balance);
      setShown(data.billing.credits);
    },
  });
  const text = typed ?? String(shown?.balance ?? 0);
  const submit = () => {
    const fault = isReplaced ? replacedText : creditsFault(text);
    setIsReplaced(false);
    setErrors({ credits: fault });
    if (fault === undefined && shown) save.mutate(Number(text));
  };
  return (
    <FormDialog
      open={open}
      onClose={onClose}
      title="Edit credits"
      description={user.email}
      submitLabel="Update credits"
      busy={save.isPending}
      disabled={!shown}
      form={form}
      onSubmit={submit}
    >
      {!shown && <RetryBilling billing={billing} />}
      {!shown && !billing.isError && <Skeleton className="h-44 w-full" />}
      {save.isError && <FailureNotice work="credits" error={save.error} />}
      {outdatedBalance !== undefined && shown && (
        <Notice>
          The balance was {formatCount(outdatedBalance)} when you opened this, and is {formatCount(shown.balance)} now.
          Nothing was changed. Check your number, and update again.
        </Notice>
      )}
      {shown && (
        <>
          <Field label="Credits" hint={<Difference shown={shown} text={text} />} error={errors.credits}>
            <Input
              inputMode="numeric"
              autoComplete="off"
              className="tabular-nums"
              value={text}
              onFocus={(event) => event.currentTarget.select()}
              onBlur={() => setIsReplaced(false)}
              onChange={(event) => {
                const { value } = event.target;
                setTyped(creditsText(value));
                setIsReplaced((was) => !isNumber(value) || (was && creditsText(value) === '0'));
                setErrors({});
              }}
            />
          </Field>
          <ReasonField value={reason} onChange={setReason} />
        </>
      )}
    </FormDialog>
  );
}

const replacedText = 'That is not a number, so it became 0. Press Enter again to set 0.';

function Difference({ shown: { balance, held }, text }: { shown: Credits; text: string }) {
  const change = creditsFault(text) === undefined ? Number(text) - balance : 0;
  return (
    <>
      Balance now: {creditsWord(balance)}.{change > 0 && ` Adds ${formatCount(change)} as a promotion.`}
      {change < 0 && ` Removes ${formatCount(-change)}.`}
      {held > 0 && ` Running calls hold ${formatCount(held)} of it: the balance cannot be lower than that.`}
    </>
  );
}
