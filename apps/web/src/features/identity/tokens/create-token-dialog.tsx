import { mcpScopes, type McpScope } from '@souk/contract/identity.ts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useId, useRef, useState, type FormEvent } from 'react';
import { formatDay } from '#ui/text/amount.ts';
import { Button } from '#ui/button.tsx';
import { Checkbox } from '#ui/form/checkbox.tsx';
import { Dialog } from '#ui/overlay/dialog.tsx';
import { Field } from '#ui/form/field.tsx';
import { useFirstErrorFocus } from '#ui/form/focus-first-error.ts';
import { Input } from '#ui/form/input.tsx';
import { Notice } from '#ui/state/notice.tsx';
import { Select } from '#ui/form/select.tsx';
import { api } from '#web/api.ts';
import { describeFailure } from '#web/texts/failure-text.ts';
import type { NewToken } from './new-token-dialog.tsx';
import { tokensKey } from '../queries.ts';
import { checkTokenForm, expiryChoices, scopeTexts, type ExpiryChoice, type TokenFormErrors } from './token-texts.ts';

export type CreateTokenDialogProps = {
  userId: string;
  open: boolean;
  onOpenChange: (open: boolean) => void;
  onCreated: (token: NewToken) => void;
};

export function CreateTokenDialog({ userId, open, onOpenChange, onCreated }: CreateTokenDialogProps) {
  const queries = useQueryClient();
  const formId = useId();
  const create = useMutation({
    mutationFn: (body: TokenRequest) => api.createPersonalToken({ body }),
    onSuccess: (token) => {
      void queries.invalidateQueries({ queryKey: tokensKey(userId) });
      onCreated(token);
      create.reset(); // removes the secret from the mutation
    },
  });
  const show = (next: boolean) => {
    if (create.isPending) return;
    create.reset();
    onOpenChange(next);
  };
  const failure = create.isError ? describeFailure('Failed to create PAT', create.error) : undefined;
  return (
    <Dialog
      open={open}
      onOpenChange={show}
      title="Create an access token"
      footer={
        <>
          <Button onClick={() => show(false)}>Cancel</Button>
          <Button type="submit" form={formId} variant="primary" loading={create.isPending}>
            Create token
          </Button>
        </>
      }
    >
      {failure && (
        <div className="mb-4">
          <Notice tone="bad">
            <strong className="font-medium">{failure.title}</strong>
            {failure.reason !== undefined && `: ${failure.reason}`}
          </Notice>
        </div>
      )}
      <TokenForm id={formId} onSubmit={(request) => create.isPending || create.mutate(request)} />
    </Dialog>
  );
}

type TokenRequest = { name: string; scopes: McpScope[]; expiresInDays: number };

function TokenForm({ id, onSubmit }: { id: string; onSubmit: (request: TokenRequest) => void }) {
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<readonly McpScope[]>(mcpScopes);
  const [days, setDays] = useState<ExpiryChoice>('90');
  const [errors, setErrors] = useState<TokenFormErrors>({});
  const form = useFirstErrorFocus(errors);
  const choices = useRef<HTMLFieldSetElement>(null);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const wrong = checkTokenForm({ name, scopes });
    setErrors(wrong);
    if (wrong.scopes && !wrong.name) choices.current?.querySelector('input')?.focus();
    if (Object.keys(wrong).length === 0)
      onSubmit({ name: name.trim(), scopes: [...scopes], expiresInDays: Number(days) });
  };
  const choose = (scope: McpScope, chosen: boolean) => {
    setScopes(mcpScopes.filter((one) => (one === scope ? chosen : scopes.includes(one))));
    setErrors({ ...errors, scopes: '' });
  };
  const expiresAtMs = Date.now() + Number(days) * 86_400_000;
  return (
    <form id={id} ref={form} noValidate onSubmit={submit} className="flex flex-col gap-5">
      <Field label="Name" hint="Say where you'll use it, so you can recognize it later." error={errors.name} required>
        <Input
          name="token-name"
          autoComplete="off"
          placeholder="Build server"
          value={name}
          onChange={(event) => {
            setName(event.target.value);
            if (errors.name) setErrors({ ...errors, name: '' });
          }}
        />
      </Field>
      <fieldset
        ref={choices}
        className="flex flex-col gap-2.5"
        aria-describedby={errors.scopes ? `${id}-scopes` : undefined}
      >
        <legend className="mb-2 font-medium">Scopes</legend>
        {mcpScopes.map((scope) => (
          <Checkbox
            key={scope}
            name={scope}
            label={scopeTexts[scope].name}
            hint={scopeTexts[scope].hint}
            checked={scopes.includes(scope)}
            onChange={(chosen) => choose(scope, chosen)}
          />
        ))}
        {errors.scopes && (
          <p id={`${id}-scopes`} role="alert" className="text-[0.8125rem] text-bad">
            {errors.scopes}
          </p>
        )}
      </fieldset>
      <Field label="Expiry" hint={`Expires ${formatDay(expiresAtMs)}.`}>
        <Select name="token-expiry" options={expiryChoices} value={days} onChange={setDays} />
      </Field>
    </form>
  );
}
