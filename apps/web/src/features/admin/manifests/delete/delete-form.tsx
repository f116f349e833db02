import type { getManifest } from '@souk/contract/admin/manifests.ts';
import type { AnswerOutput } from '@souk/contract/endpoint.ts';
import { useState, type FormEvent } from 'react';
import { Field } from '#ui/form/field.tsx';
import { Input } from '#ui/form/input.tsx';
import { Notice } from '#ui/state/notice.tsx';
import { useDialogText } from '../../use-dialog-text.ts';
import { SignInAgainNotice, wantsSignInAgain, type SignInAgain } from '../../sign-in-again.tsx';
import { actionFailure } from '../failure-texts.ts';
import { isStaleWrite } from '../../refusals.ts';
import { MovedNotice } from '../deploy/moved-notice.tsx';
import type { ServerDialogProps } from '../server-dialog.ts';
import type { ChosenRefunds } from './refunds.ts';
import { OwnersList } from './owners-list.tsx';
import { RentersList } from './renters-list.tsx';
import type { useDelete } from './use-delete.ts';
import { ReasonField } from '../../users/actions/reason-field.tsx';

export type DeleteFormProps = ServerDialogProps & {
  formId: string;
  shown: AnswerOutput<typeof getManifest>;
  remove: ReturnType<typeof useDelete>['remove'];
  /** Refetches the server after another administrator's change. */
  onLookAgain: () => void;
  signInAgain: SignInAgain;
};

/** The effects of a deletion, the refunds, and the id to type. */
export function DeleteForm({ formId, userId, id, open, shown, remove, onLookAgain, signInAgain }: DeleteFormProps) {
  const [typed, setTyped] = useState('');
  const [isWrong, setIsWrong] = useState(false);
  const [reason, setReason] = useDialogText({ adminId: userId, dialog: `delete.${id}`, open }, 'reason', '');
  const [refunds, setRefunds] = useState<ChosenRefunds>(new Map());
  const { listed, revision } = shown;
  const send = () => {
    setIsWrong(typed.trim() !== id);
    if (typed.trim() === id && !remove.isPending) remove.mutate({ revision, reason, refunds });
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    send();
  };
  return (
    <form id={formId} noValidate onSubmit={submit} className="flex flex-col gap-4">
      <p className="text-quiet">
        {listed?.isActive
          ? 'The server stops immediately for everyone who uses it, and leaves the shop.'
          : 'It isn’t deployed, so no one uses it. It is removed from the list.'}{' '}
        Its versions are kept, and you can deploy one of them again.
      </p>
      {listed && listed.renters > 0 && (
        <>
          <p className="text-quiet">
            Rentals are not renewed. They end with the paid period, without a refund. If you choose a refund here, the
            rental ends now, and its unused time is refunded.
          </p>
          <RentersList userId={userId} id={id} refunds={{ chosen: refunds, onChange: setRefunds }} />
        </>
      )}
      <OwnersList userId={userId} id={id} />
      <ReasonField value={reason} onChange={setReason} />
      <Field
        label={
          <>
            Type <code>{id}</code> to confirm
          </>
        }
        error={isWrong ? `Type ${id}, the server's id.` : undefined}
        required
      >
        <Input
          value={typed}
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          className="font-mono"
          onChange={(event) => {
            setTyped(event.target.value);
            setIsWrong(false);
          }}
        />
      </Field>
      {isStaleWrite(remove.error) ? (
        <MovedNotice error={remove.error} shown={listed} onLookAgain={onLookAgain} />
      ) : wantsSignInAgain(remove.error) ? (
        <SignInAgainNotice signInAgain={signInAgain} onSignedIn={send} />
      ) : (
        remove.isError && <Notice tone="bad">{actionFailure('delete', remove.error)}</Notice>
      )}
    </form>
  );
}
