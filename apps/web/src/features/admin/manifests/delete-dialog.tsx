import { useMutation, useQuery } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { Button } from '#ui/button.tsx';
import { Dialog } from '#ui/dialog.tsx';
import { ErrorState } from '#ui/error-state.tsx';
import { Field } from '#ui/field.tsx';
import { Input } from '#ui/input.tsx';
import { ListSkeleton } from '#ui/list-skeleton.tsx';
import { Notice } from '#ui/notice.tsx';
import { useToast } from '#ui/use-toast.ts';
import { adminApi, serverKey } from '../admin-api.ts';
import { SignInAgainNotice, wantsSignInAgain, type SignInAgain } from '../sign-in-again.tsx';
import { actionFailure } from './failure-texts.ts';
import { useManifestsChanged } from './manifest-queries.ts';
import { hasMoved, MovedNotice } from './moved-notice.tsx';
import { refundsThatNeedSomeone, sumOf, type ChosenRefunds } from './refunds.ts';
import { RentersList } from './renters-list.tsx';

export type DeleteDialogProps = {
  userId: string;
  /** Of the server. */
  id: string;
  open: boolean;
  onClose: () => void;
  /** It is deleted. */
  onDone?: (() => void) | undefined;
  /** Refunds ask for a recent sign-in. */
  signInAgain: SignInAgain;
};

/** Says what stops and for whom, asks for each rental whether it is paid back, and deletes once the id is typed. */
export function DeleteDialog({ userId, id, open, onClose, onDone, signInAgain }: DeleteDialogProps) {
  const toast = useToast();
  const changed = useManifestsChanged(userId);
  const [typed, setTyped] = useState('');
  const [isWrong, setIsWrong] = useState(false);
  const [reason, setReason] = useState('');
  const [refunds, setRefunds] = useState<ChosenRefunds>(new Map());
  const query = useQuery({
    queryKey: [...serverKey(userId, id), 'to-delete'],
    queryFn: ({ signal }) => adminApi.getManifest({ params: { id }, query: {} }, { signal }),
    enabled: open,
    staleTime: 0,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  const remove = useMutation({
    mutationFn: (revision: string) =>
      adminApi.deleteManifest(
        { params: { id }, body: { reason, refundRentals: [...refunds.keys()] } },
        { ifMatch: revision },
      ),
    onSuccess: async (answer) => {
      const needing = refundsThatNeedSomeone(answer.refunds);
      if (needing.length === 0) {
        toast.success(refunds.size === 0 ? `${id} is deleted.` : `${id} is deleted. ${sumOf(refunds)} is paid back.`);
        onClose();
      }
      await changed();
      onDone?.();
    },
  });
  const needing = remove.data ? refundsThatNeedSomeone(remove.data.refunds) : [];
  const listed = query.data?.listed;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setIsWrong(typed.trim() !== id);
    if (query.data && typed.trim() === id && !remove.isPending) remove.mutate(query.data.revision);
  };
  if (remove.data && needing.length > 0) {
    return (
      <Dialog
        urgent
        open={open}
        onOpenChange={(next) => !next && onClose()}
        title={`${id} is deleted`}
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
      title={`Delete ${listed?.name ?? id}?`}
      footer={
        <>
          <Button onClick={() => !remove.isPending && onClose()}>Cancel</Button>
          <Button
            type="submit"
            form="delete-manifest"
            variant="danger"
            loading={remove.isPending}
            disabled={!query.data}
          >
            Delete {id}
          </Button>
        </>
      }
    >
      {query.isError && !query.data && (
        <ErrorState
          title={actionFailure('delete', query.error)}
          onRetry={() => void query.refetch()}
          retrying={query.isFetching}
        />
      )}
      {!query.data && !query.isError && <ListSkeleton label="Loading the server…" />}
      {query.data && (
        <form id="delete-manifest" noValidate onSubmit={submit} className="flex flex-col gap-4">
          <p className="text-quiet">
            {listed?.isActive
              ? 'The server stops at once for everyone who uses it, and leaves the shop.'
              : 'It is not deployed: nobody uses it. It leaves the list.'}{' '}
            Its versions are kept: it can be deployed again by one of them.
          </p>
          {listed && listed.renters > 0 && (
            <>
              <p className="text-quiet">
                Rentals are not renewed. They end with the period that is paid for, without a refund, unless you choose
                one here: then the rental ends now, and the part of its period that is left is paid back.
              </p>
              <RentersList userId={userId} id={id} chosen={refunds} onChange={setRefunds} />
            </>
          )}
          <Field label="Reason" hint="Optional. It is kept in the audit log.">
            <Input
              value={reason}
              maxLength={500}
              autoComplete="off"
              onChange={(event) => setReason(event.target.value)}
            />
          </Field>
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
          {hasMoved(remove.error) && (
            <MovedNotice
              error={remove.error}
              shown={{
                deployedVersion: listed?.deployedVersion ?? null,
                stagedVersion: listed?.stagedVersion ?? null,
              }}
              onLookAgain={() => {
                remove.reset();
                void query.refetch();
              }}
            />
          )}
          {wantsSignInAgain(remove.error) && (
            <SignInAgainNotice signInAgain={signInAgain} onSignedIn={() => remove.reset()} />
          )}
          {remove.isError && !hasMoved(remove.error) && !wantsSignInAgain(remove.error) && (
            <Notice tone="bad">{actionFailure('delete', remove.error)}</Notice>
          )}
        </form>
      )}
    </Dialog>
  );
}
