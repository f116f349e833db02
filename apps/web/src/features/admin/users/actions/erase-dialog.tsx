import type { UserBilling } from '@souk/contract/admin/billing.ts';
import { foldEmail } from '@souk/contract/fold-email.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Field } from '#ui/form/field.tsx';
import { useFirstErrorFocus } from '#ui/form/focus-first-error.ts';
import { Input } from '#ui/form/input.tsx';
import { useToast } from '#ui/overlay/use-toast.ts';
import { adminApi } from '../../admin-api.ts';
import { userListsKey } from '../user-queries.ts';
import { useUserText, useUserWork } from '../user-work.ts';
import { ActionFailure } from './action-failure.tsx';
import { FormDialog, type UserDialogProps } from './form-dialog.tsx';
import { LostWithUser } from './lost-with-user.tsx';
import { ReasonField } from './reason-field.tsx';
import { useSingleMutation } from '../../use-single-mutation.ts';

/** Erases a user once their e-mail address is typed. Says what is deleted and what stays. */
export function EraseDialog({
  user,
  billing,
  open,
  onClose,
  onErased,
}: UserDialogProps & { billing: UserBilling; onErased: () => void }) {
  const toast = useToast();
  const queries = useQueryClient();
  const { adminId, report, clear } = useUserWork();
  const [typed, setTyped] = useState('');
  const [reason, setReason] = useUserText('erase', { user, open }, 'reason', '');
  const [errors, setErrors] = useState<{ email?: string }>({});
  const form = useFirstErrorFocus(errors);
  const erase = useSingleMutation({
    mutationFn: () => adminApi.eraseUser({ params: { id: user.id }, body: { confirm: typed.trim(), reason } }),
    onMutate: () => clear('erase'),
    onSuccess: async () => {
      onErased();
      toast.success('The account is erased.');
      // only the lists: the erased user's own data is gone
      await queries.invalidateQueries({ queryKey: userListsKey(adminId) });
    },
    onError: (error) => report('erase', error, user.email),
  });
  const submit = () => {
    const fits = foldEmail(typed.trim()) === foldEmail(user.email);
    setErrors(fits ? {} : { email: "This isn't the user's email." });
    if (fits) erase.mutate();
  };
  return (
    <FormDialog
      open={open}
      onClose={onClose}
      title="Erase user?"
      description={user.email}
      submitLabel="Erase user"
      variant="danger"
      busy={erase.isPending}
      form={form}
      onSubmit={submit}
    >
      <div className="flex flex-col gap-2 text-quiet">
        <p>
          <strong className="font-medium text-text">Deleted now:</strong> profile, sign-ins, connected apps, access
          tokens, accounts at services and calls. Payments that renew are canceled.
        </p>
        <LostWithUser adminId={adminId} userId={user.id} billing={billing} />
        <p>
          <strong className="font-medium text-text">What stays:</strong> records of payments and credits and the audit
          log, without a name: the email becomes [erased] in them. Data kept by services stays with them.
        </p>
        <p>This cannot be undone.</p>
      </div>
      <Field label="User's email" hint={`Type ${user.email} to confirm.`} error={errors.email} required>
        <Input
          type="email"
          autoComplete="off"
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
      </Field>
      <ReasonField value={reason} onChange={setReason} />
      <ActionFailure work="erase" error={erase.error} again={() => erase.mutate()} />
    </FormDialog>
  );
}
