import type { NeededSecret } from '@souk/contract/admin/secrets.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Field } from '#ui/form/field.tsx';
import { Input } from '#ui/form/input.tsx';
import { TextArea } from '#ui/form/text-area.tsx';
import { useToast } from '#ui/overlay/use-toast.ts';
import { adminApi } from '../../admin-api.ts';
import { Code } from '../../code.tsx';
import { FailureOrSignIn, type SignInAgain } from '../../sign-in-again.tsx';
import { useSingleMutation } from '../../use-single-mutation.ts';
import { FormDialog } from '../../users/actions/form-dialog.tsx';
import { secretsQuery } from '../server-queries.ts';
import { PlaceText } from './place-text.tsx';

export type SecretDialogProps = {
  userId: string;
  serverId: string;
  signInAgain: SignInAgain;
  open: boolean;
  onClose: () => void;
};

/** Takes the value of a secret. Closing the dialog clears the field. */
export function SetSecretDialog({ secret, ...props }: SecretDialogProps & { secret: NeededSecret }) {
  const { userId, serverId, signInAgain, open, onClose } = props;
  const { kind, name, place, entered, variable } = secret;
  const [value, setValue] = useState('');
  const [isEmpty, setIsEmpty] = useState(false);
  const queries = useQueryClient();
  const toast = useToast();
  const { queryKey } = secretsQuery(userId, serverId);
  const save = useSingleMutation({
    mutationFn: (typed: string) =>
      adminApi.setServerSecret({ params: { id: serverId }, body: { kind, name, place, value: typed } }),
    onSuccess: (answer) => {
      queries.setQueryData(queryKey, answer);
      toast.success(`${name} is ${entered ? 'replaced' : 'set'}. The server uses it now.`);
      close();
    },
    onError: () => queries.invalidateQueries({ queryKey }),
  });
  function close() {
    setValue('');
    setIsEmpty(false);
    save.reset();
    onClose();
  }
  const send = () => {
    // a copied value often ends with a line break or a space
    const typed = value.trim();
    setIsEmpty(typed === '');
    if (typed !== '') save.mutate(typed);
  };
  const control = {
    value,
    autoComplete: 'off',
    autoCapitalize: 'off',
    spellCheck: false,
    className: 'font-mono',
    onChange: (event: { target: { value: string } }) => {
      setValue(event.target.value);
      setIsEmpty(false);
    },
  } as const;
  return (
    <FormDialog
      urgent
      size="medium"
      open={open}
      onClose={close}
      title={`${entered ? 'Replace' : 'Enter'} ${name}`}
      submitLabel={entered ? 'Replace value' : 'Save value'}
      busy={save.isPending}
      onSubmit={send}
    >
      <p className="text-quiet">
        <PlaceText kind={kind} place={place} />. If the {kind === 'header' ? 'address' : 'program'} changes, you’ll be
        asked for the value again.
        {variable !== null && (
          <>
            {' '}
            The operator can set <Code>{variable}</Code> instead, which then takes precedence over this value.
          </>
        )}
      </p>
      <Field
        label="Value"
        hint="Stored encrypted and never shown again. The audit log notes that you set it, not what it is."
        error={isEmpty ? 'Enter a value.' : undefined}
        required
      >
        {kind === 'header' ? <Input type="password" {...control} /> : <TextArea rows={5} {...control} />}
      </Field>
      <FailureOrSignIn error={save.error} signInAgain={signInAgain} again={send} />
    </FormDialog>
  );
}
