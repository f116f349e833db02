import type { NeededSecret } from '@souk/contract/admin/secrets.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useId, useState, type FormEvent } from 'react';
import { Button } from '#ui/button.tsx';
import { Dialog } from '#ui/overlay/dialog.tsx';
import { Field } from '#ui/form/field.tsx';
import { Input } from '#ui/form/input.tsx';
import { Notice } from '#ui/state/notice.tsx';
import { TextArea } from '#ui/form/text-area.tsx';
import { useToast } from '#ui/overlay/use-toast.ts';
import { failureText } from '#web/texts/failure-text.ts';
import { adminApi } from '../../admin-api.ts';
import { SignInAgainNotice, wantsSignInAgain, type SignInAgain } from '../../sign-in-again.tsx';
import { useSingleMutation } from '../../use-single-mutation.ts';
import { secretsQuery } from '../server-queries.ts';
import { PlaceText } from './place-text.tsx';

export type SecretDialogProps = {
  userId: string;
  serverId: string;
  signInAgain: SignInAgain;
  open: boolean;
  onClose: () => void;
};

/** Takes the value of a secret. What was typed is forgotten when the dialog closes. */
export function SetSecretDialog({ secret, ...props }: SecretDialogProps & { secret: NeededSecret }) {
  const { userId, serverId, signInAgain, open, onClose } = props;
  const { kind, name, place, entered, variable } = secret;
  const formId = useId();
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
    if (typed !== '' && !save.isPending) save.mutate(typed);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    send();
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
    <Dialog
      urgent
      open={open}
      onOpenChange={(next) => !next && !save.isPending && close()}
      title={`${entered ? 'Replace' : 'Enter'} ${name}`}
      footer={
        <>
          <Button onClick={() => !save.isPending && close()}>Cancel</Button>
          <Button type="submit" form={formId} variant="primary" loading={save.isPending}>
            {entered ? 'Replace value' : 'Save value'}
          </Button>
        </>
      }
    >
      <form id={formId} noValidate onSubmit={submit} className="flex flex-col gap-4">
        <p className="text-quiet">
          <PlaceText kind={kind} place={place} />. If the {kind === 'header' ? 'address' : 'program'} changes, you’ll be
          asked for the value again.
          {variable !== null && (
            <>
              {' '}
              The operator can set <code className="font-mono text-xs wrap-anywhere text-text">{variable}</code>{' '}
              instead, which then counts in the place of this value.
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
        {wantsSignInAgain(save.error) ? (
          <SignInAgainNotice signInAgain={signInAgain} onSignedIn={send} />
        ) : (
          save.isError && <Notice tone="bad">{failureText(save.error)}</Notice>
        )}
      </form>
    </Dialog>
  );
}
