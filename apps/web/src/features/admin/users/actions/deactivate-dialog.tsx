import type { UserBilling } from '@souk/contract/admin/billing.ts';
import { ApiError } from '@souk/contract/client.ts';
import { useState } from 'react';
import { formatMoment } from '#ui/text/amount.ts';
import { Checkbox } from '#ui/form/checkbox.tsx';
import { useToast } from '#ui/overlay/use-toast.ts';
import { adminApi } from '../../admin-api.ts';
import { endingOf } from '../owned.ts';
import { useUserChange, useUserText } from '../user-work.ts';
import { ActionFailure } from './action-failure.tsx';
import { FormDialog, type UserDialogProps } from './form-dialog.tsx';
import { ReasonField } from './reason-field.tsx';

/** Deactivates a user. Says what ends now and what ends later; an administrator needs a second confirmation. */
export function DeactivateDialog({
  user,
  billing,
  open,
  onClose,
}: UserDialogProps & { user: { role: 'user' | 'admin' }; billing: UserBilling }) {
  const toast = useToast();
  const [reason, setReason] = useUserText('deactivate', { user, open }, 'reason', '');
  const [endNow, setEndNow] = useState(false);
  const [confirmAdministrator, setConfirmAdministrator] = useState(false);
  const deactivate = useUserChange('deactivate', user, {
    change: () => adminApi.deactivateUser({ params: { id: user.id }, body: { reason, endNow, confirmAdministrator } }),
    onDone: ({ result, ending }) => {
      const waits = ending.some(({ atProvider }) => atProvider === 'pending');
      const later = waits ? " The payment provider didn't answer; we'll retry automatically." : '';
      toast.success(
        result === 'unchanged' ? `${user.email} was already deactivated.` : `${user.email} is deactivated.${later}`,
      );
      onClose();
    },
  });
  const becameAdministrator = deactivate.error instanceof ApiError && deactivate.error.code === 'confirm_administrator';
  const isAdministrator = user.role === 'admin' || becameAdministrator;
  const send = () => deactivate.mutate(undefined);
  const ending = endingOf(billing);
  return (
    <FormDialog
      open={open}
      onClose={onClose}
      title="Deactivate user?"
      description={user.email}
      submitLabel="Deactivate user"
      variant="danger"
      busy={deactivate.isPending}
      disabled={isAdministrator && !confirmAdministrator}
      onSubmit={send}
    >
      <div className="text-quiet">
        <p>Immediately, and until you reactivate them:</p>
        <ul className="mt-1.5 flex list-disc flex-col gap-1 pl-5">
          <li>They are signed out everywhere and cannot sign in.</li>
          <li>Their connected apps are disconnected, and running calls end.</li>
          <li>Their personal access tokens are refused.</li>
        </ul>
      </div>
      {ending.length > 0 && (
        <div className="flex flex-col gap-3">
          <div className="text-quiet">
            <p>{endNow ? 'These end now:' : 'These are not renewed, and end with their period:'}</p>
            <ul aria-label="What ends" className="mt-1.5 flex list-disc flex-col gap-1 pl-5">
              {ending.map(({ id, kind, name, endsAt }) => (
                <li key={id} className="wrap-anywhere">
                  {name} ({kind}), {endsAt === null ? 'which has no end' : formatMoment(endsAt)}
                </li>
              ))}
            </ul>
          </div>
          <Checkbox
            label="End them now"
            hint="Their remaining time isn’t refunded."
            checked={endNow}
            onChange={setEndNow}
          />
        </div>
      )}
      {isAdministrator && (
        <Checkbox
          label="Yes, deactivate an administrator"
          hint="They lose access to this area too."
          checked={confirmAdministrator}
          onChange={setConfirmAdministrator}
        />
      )}
      <ReasonField value={reason} onChange={setReason} />
      <ActionFailure work="deactivate" error={deactivate.error} again={send} />
    </FormDialog>
  );
}
