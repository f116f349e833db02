import { useId } from 'react';
import { Button } from '#ui/button.tsx';
import { Dialog } from '#ui/overlay/dialog.tsx';
import { Notice } from '#ui/state/notice.tsx';
import type { SignInAgain } from '../../sign-in-again.tsx';
import { NotLoaded } from '../../not-loaded.tsx';
import { describeAction } from '../failure-texts.ts';
import type { ServerDialogProps } from '../server-dialog.ts';
import { DeleteForm } from './delete-form.tsx';
import { refundsThatNeedSomeone } from './refunds.ts';
import { deletedTitle, useDelete } from './use-delete.ts';

/** Says what stops and for whom, offers a refund for each rental, and deletes once the id is typed. */
export function DeleteDialog({ signInAgain, ...dialog }: ServerDialogProps & { signInAgain: SignInAgain }) {
  const { id, open, onClose } = dialog;
  const formId = useId();
  const { shown, remove } = useDelete(dialog);
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
          {...dialog}
          formId={formId}
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
