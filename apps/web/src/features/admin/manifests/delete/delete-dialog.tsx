import { useState } from 'react';
import { Button } from '#ui/button.tsx';
import { Field } from '#ui/form/field.tsx';
import { Input } from '#ui/form/input.tsx';
import { Dialog } from '#ui/overlay/dialog.tsx';
import { Notice } from '#ui/state/notice.tsx';
import { NotLoaded } from '../../not-loaded.tsx';
import type { ShownManifest } from '../../server/server-queries.ts';
import { SignInAgainNotice, needsSignInAgain, type SignInAgain } from '../../sign-in-again.tsx';
import { useDialogText } from '../../use-dialog-text.ts';
import { FormDialog } from '../../users/actions/form-dialog.tsx';
import { ReasonField } from '../../users/actions/reason-field.tsx';
import { ChangeFailure } from '../deploy/change-failure.tsx';
import { describeAction } from '../failure-texts.ts';
import type { ServerDialogProps } from '../server-dialog.ts';
import { OwnersList } from './owners-list.tsx';
import { refundsThatNeedAttention, type ChosenRefunds } from './refunds.ts';
import { RentersList, type RentersListProps } from './renters-list.tsx';
import { deletedTitle, useDelete } from './use-delete.ts';

/** Says what stops and for whom, offers a refund for each rental, and deletes once the id is typed. */
export function DeleteDialog({ signInAgain, ...dialog }: ServerDialogProps & { signInAgain: SignInAgain }) {
  const { userId, id, open, onClose } = dialog;
  const [typed, setTyped] = useState('');
  const [isWrong, setIsWrong] = useState(false);
  const [reason, setReason] = useDialogText({ adminId: userId, dialog: `delete.${id}`, open }, 'reason', '');
  const [refunds, setRefunds] = useState<ChosenRefunds>(new Map());
  const { shown, remove } = useDelete(dialog);
  const { data } = shown;
  const needing = remove.data ? refundsThatNeedAttention(remove.data.refunds) : [];
  if (needing.length > 0) {
    return (
      <Dialog
        urgent
        open={open}
        onOpenChange={(next) => !next && onClose()}
        title={deletedTitle(data?.listed?.name, id)}
        footer={
          <Button variant="primary" onClick={onClose}>
            Close
          </Button>
        }
      >
        <Notice tone="bad">
          {needing.map((text) => (
            <p key={text}>{text}</p>
          ))}
        </Notice>
      </Dialog>
    );
  }
  const send = () => {
    setIsWrong(typed.trim() !== id);
    if (data && typed.trim() === id) remove.mutate({ revision: data.revision, reason, refunds });
  };
  const lookAgain = () => {
    remove.reset();
    void shown.refetch();
  };
  return (
    <FormDialog
      size="medium"
      open={open}
      onClose={onClose}
      title={`Delete ${data?.listed?.name ?? id}?`}
      submitLabel={`Delete ${id}`}
      variant="danger"
      busy={remove.isPending}
      disabled={!data}
      onSubmit={send}
    >
      {data ? (
        <>
          <Effects userId={userId} id={id} shown={data} refunds={{ chosen: refunds, onChange: setRefunds }} />
          <ReasonField value={reason} onChange={setReason} />
          <IdField
            id={id}
            value={typed}
            isWrong={isWrong}
            onChange={(text) => {
              setTyped(text);
              setIsWrong(false);
            }}
          />
          {needsSignInAgain(remove.error) ? (
            <SignInAgainNotice signInAgain={signInAgain} onSignedIn={send} />
          ) : (
            <ChangeFailure action="delete" error={remove.error} shown={data.listed} onLookAgain={lookAgain} />
          )}
        </>
      ) : (
        <NotLoaded query={shown} label="Loading the server…" describe={describeAction('delete')} />
      )}
    </FormDialog>
  );
}

function Effects({ shown: { listed }, ...renters }: RentersListProps & { shown: ShownManifest }) {
  return (
    <>
      <p className="text-quiet">
        {listed?.isActive
          ? 'The server stops immediately for everyone who uses it, and is removed from the shop.'
          : 'It isn’t deployed, so no one uses it. It is removed from the list.'}{' '}
        Its versions are kept, and you can deploy one of them again.
      </p>
      {listed && listed.renters > 0 && (
        <>
          <p className="text-quiet">
            Rentals are not renewed. They end with the paid period, without a refund. If you choose a refund here, the
            rental ends now, and its unused time is refunded.
          </p>
          <RentersList {...renters} />
        </>
      )}
      <OwnersList userId={renters.userId} id={renters.id} />
    </>
  );
}

function IdField(props: { id: string; value: string; isWrong: boolean; onChange: (typed: string) => void }) {
  return (
    <Field
      label={
        <>
          Type <code>{props.id}</code> to confirm
        </>
      }
      error={props.isWrong ? `Type ${props.id}, the server's id.` : undefined}
      required
    >
      <Input
        value={props.value}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        className="font-mono"
        onChange={(event) => props.onChange(event.target.value)}
      />
    </Field>
  );
}
