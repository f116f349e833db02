import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Field } from '#ui/form/field.tsx';
import { Input } from '#ui/form/input.tsx';
import { Notice } from '#ui/state/notice.tsx';
import { useToast } from '#ui/overlay/use-toast.ts';
import { failureText } from '#web/texts/failure-text.ts';
import { adminApi } from '../admin-api.ts';
import { SignInAgainNotice, needsSignInAgain, type SignInAgain } from '../sign-in-again.tsx';
import { useDialogText } from '../use-dialog-text.ts';
import { useSingleMutation } from '../use-single-mutation.ts';
import { FormDialog } from '../users/actions/form-dialog.tsx';
import { allowancesQuery } from './allow-list-queries.ts';

export type AllowListDialogProps = { userId: string; signInAgain: SignInAgain; open: boolean; onClose: () => void };

/** Allows an address of a private network. The broker's refusal is shown at the field. */
export function AddAddressDialog({
  userId,
  signInAgain,
  wanted,
  open,
  onClose,
}: AllowListDialogProps & {
  wanted: string;
}) {
  const dialog = { adminId: userId, dialog: 'allow-address', open };
  const [entry, setEntry] = useDialogText(dialog, 'entry', wanted);
  const [note, setNote] = useDialogText(dialog, 'note', '');
  const [isEmpty, setIsEmpty] = useState(false);
  const queries = useQueryClient();
  const toast = useToast();
  const { queryKey } = allowancesQuery(userId);
  const add = useSingleMutation({
    mutationFn: (body: { entry: string; note: string }) => adminApi.addAllowedAddress({ body }),
    onSuccess: (answer, body) => {
      queries.setQueryData(queryKey, answer);
      toast.success(`${body.entry} is allowed.`);
      onClose();
    },
  });
  const send = () => {
    const typed = entry.trim();
    setIsEmpty(typed === '');
    if (typed !== '') add.mutate({ entry: typed, note: note.trim() });
  };
  const wantsSignIn = needsSignInAgain(add.error);
  const problem = isEmpty ? 'Enter an address.' : add.isError && !wantsSignIn ? failureText(add.error) : undefined;
  return (
    <FormDialog
      urgent
      size="medium"
      open={open}
      onClose={onClose}
      title="Allow a private address"
      submitLabel="Allow address"
      busy={add.isPending}
      onSubmit={send}
    >
      <Notice>
        Any manifest can then make Souk connect there, even over plain HTTP. Allow only machines that run MCP servers.
      </Notice>
      <Field
        label="Host and port"
        hint="10.0.0.5:8080, tools.internal:8080, [fd00::5]:8080, or a network of up to 256 addresses such as 10.0.0.0/24:8080"
        error={problem}
        required
      >
        <Input
          value={entry}
          maxLength={300}
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          className="font-mono"
          onChange={(event) => {
            setEntry(event.target.value);
            setIsEmpty(false);
            if (add.isError) add.reset();
          }}
        />
      </Field>
      <Field label="Note (optional)" hint="What runs there. Other administrators see it.">
        <Input value={note} maxLength={200} autoComplete="off" onChange={(event) => setNote(event.target.value)} />
      </Field>
      {wantsSignIn && <SignInAgainNotice signInAgain={signInAgain} onSignedIn={send} />}
    </FormDialog>
  );
}
