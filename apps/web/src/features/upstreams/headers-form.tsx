import { headerValueSchema, type UpstreamAccount } from '@souk/contract/upstreams.ts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { Button } from '#ui/button.tsx';
import { Field } from '#ui/form/field.tsx';
import { Input } from '#ui/form/input.tsx';
import { Notice } from '#ui/state/notice.tsx';
import { failureText } from '#web/texts/failure-text.ts';
import { upstreamsApi, upstreamKey } from './upstreams-api.ts';

export type HeadersFormProps = {
  userId: string;
  connection: UpstreamAccount;
  onSaid: (text: string) => void;
};

/** Secrets that a server takes in headers. A stored value is never shown; an empty field keeps it. */
export function HeadersForm({ userId, connection, onSaid }: HeadersFormProps) {
  const { serverId, serverName, headers } = connection;
  const queries = useQueryClient();
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const [errors, setErrors] = useState<Readonly<Record<string, string>>>({});
  const save = useMutation({
    mutationFn: (entered: Record<string, string>) =>
      upstreamsApi.putUpstreamHeaders({ params: { userId, serverId }, body: { headers: entered } }),
    onSuccess: async () => {
      setValues({});
      await queries.invalidateQueries({ queryKey: upstreamKey(userId) });
      onSaid(`The headers for ${serverName} are saved.`);
    },
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const found = problemsOf(headers, values);
    setErrors(found);
    const [first] = Object.keys(found);
    if (first !== undefined) {
      const field = event.currentTarget.elements.namedItem(first);
      if (field instanceof HTMLElement) field.focus();
      return;
    }
    if (!save.isPending) save.mutate(enteredOf(values));
  };
  return (
    <form onSubmit={submit} noValidate className="flex flex-col gap-4">
      <p className="text-quiet">
        {serverName} takes secrets in headers. They are stored encrypted, used only for your calls, and never shown
        again.
      </p>
      {headers.map(({ name, description, present }) => (
        <Field key={name} label={name} hint={hintOf(description, present)} error={errors[name]} required={!present}>
          <Input
            name={name}
            type="password"
            autoComplete="off"
            value={values[name] ?? ''}
            onChange={({ target }) => setValues((all) => ({ ...all, [name]: target.value }))}
          />
        </Field>
      ))}
      {save.isError && <Notice tone="bad">{failureText(save.error)}</Notice>}
      <div>
        <Button type="submit" variant="primary" loading={save.isPending}>
          Save headers
        </Button>
      </div>
    </form>
  );
}

function hintOf(description: string | undefined, present: boolean): string | undefined {
  const stored = present ? 'A value is stored. Leave this empty to keep it.' : undefined;
  return [description, stored].filter(Boolean).join(' ') || undefined;
}

function enteredOf(values: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (value === '' ? [] : [[name, value.trim()]])),
  );
}

function problemsOf(
  headers: UpstreamAccount['headers'],
  values: Readonly<Record<string, string>>,
): Record<string, string> {
  const problems: Record<string, string> = {};
  for (const { name, present } of headers) {
    const value = (values[name] ?? '').trim();
    if (value === '' && present) continue;
    const parsed = headerValueSchema.safeParse(value);
    const message = parsed.error?.issues[0]?.message;
    if (message !== undefined) problems[name] = value === '' ? 'Enter the value.' : `The value ${message}.`;
  }
  return problems;
}
