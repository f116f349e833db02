import { useId } from 'react';
import { Button } from '#ui/button.tsx';
import { Dialog } from '#ui/overlay/dialog.tsx';
import { Notice } from '#ui/state/notice.tsx';
import type { SignInAgain } from '../../sign-in-again.tsx';
import { NotLoaded } from '../../not-loaded.tsx';
import { describeAction } from '../failure-texts.ts';
import { DeleteForm } from './delete-form.tsx';
import { refundsThatNeedSomeone } from './refunds.ts';
import { deletedTitle, useDelete } from './use-delete.ts';

export type DeleteDialogProps = {
  userId: string;
  /** The server's id. */
  id: string;
  open: boolean;
  onClose: () => void;
  /** Refunds ask for a recent sign-in. */
  signInAgain: SignInAgain;
};

/** Says what stops and for whom, asks for each rental whether it is paid back, and deletes once the id is typed. */
export function DeleteDialog({ userId, id, open, onClose, signInAgain }: DeleteDialogProps) {
  const formId = useId();
  const { shown, remove } = useDelete({ userId, id, open, onClose });
  const needing = remove.data ? refundsThatNeedSomeone(remove.data.refunds) : [];
  if (needing.length > 0) {
    return (
      <Dialog
        urgent
        open={open}
        onOpenChange={(next) => !next && onClose()}
        title={deletedTitle(shown.data?.listed?.name, id)}
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
  return (
    <Dialog
      urgent
      open={open}
      onOpenChange={(next) => !next && !remove.isPending && onClose()}
      title={`Delete ${shown.data?.listed?.name ?? id}?`}
      footer={
        <>
          <Button onClick={() => !remove.isPending && onClose()}>Cancel</Button>
          <Button type="submit" form={formId} variant="danger" loading={remove.isPending} disabled={!shown.data}>
            Delete {id}
          </Button>
        </>
      }
    >
      {shown.data ? (
        <DeleteForm
          formId={formId}
          userId={userId}
          id={id}
          open={open}
          shown={shown.data}
          remove={remove}
          onLookAgain={() => {
            remove.reset();
            void shown.refetch();
          }}
          signInAgain={signInAgain}
        />
      ) : (
        <NotLoaded query={shown} label="Loading the server…" describe={describeAction('delete')} />
      )}
    </Dialog>
  );
}
