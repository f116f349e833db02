import type { Registry } from '@souk/contract/catalogue/registries.ts';
import { useState } from 'react';
import { ConfirmDialog } from '#ui/overlay/confirm-dialog.tsx';
import { Field } from '#ui/form/field.tsx';
import { Input } from '#ui/form/input.tsx';
import { Notice } from '#ui/state/notice.tsx';
import { counted } from '#ui/text/amount.ts';
import { failureText } from '#web/texts/failure-text.ts';
import { adminApi } from '../admin-api.ts';
import { useDialogText } from '../use-dialog-text.ts';
import { useSingleMutation } from '../use-single-mutation.ts';
import { FormDialog } from '../users/actions/form-dialog.tsx';
import { useRegistriesChanged } from './import-queries.ts';

type DialogProps = { userId: string; open: boolean; onClose: () => void };

export function RegistryDialog({
  registry,
  preset,
  onAdded,
  ...dialog
}: DialogProps & {
  /** The registry to rename; undefined adds one. */
  registry: Registry | undefined;
  preset: { name: string; url: string } | undefined;
  onAdded: (id: string) => void;
}) {
  const { userId, open, onClose } = dialog;
  const changed = useRegistriesChanged(userId);
  const drafted = { adminId: userId, dialog: `registry.${registry?.id ?? preset?.url ?? ''}`, open };
  const [name, setName] = useDialogText(drafted, 'name', registry?.name ?? preset?.name ?? '');
  const [url, setUrl] = useDialogText(drafted, 'url', preset?.url ?? '');
  const [isSubmitted, setIsSubmitted] = useState(false);
  const save = useSingleMutation({
    mutationFn: () =>
      registry
        ? adminApi.renameRegistry({ params: { id: registry.id }, body: { name } })
        : adminApi.addRegistry({ body: { name: name.trim() === '' ? hostOf(url) : name, url } }),
    onSuccess: async (answer) => {
      await changed();
      onClose();
      if (!registry) onAdded(answer.registry.id);
    },
  });
  const submit = () => {
    setIsSubmitted(true);
    if (registry ? name.trim() !== '' : url.trim() !== '') save.mutate(undefined);
  };
  return (
    <FormDialog
      {...dialog}
      size="medium"
      title={registry ? `Rename ${registry.name}` : 'Add a registry'}
      submitLabel={registry ? 'Rename' : 'Add registry'}
      busy={save.isPending}
      onSubmit={submit}
    >
      {!registry && (
        <Field
          label="Address"
          hint="The part before /v0.1/servers. It must use https, unless UPSTREAM_ALLOW_ADDRESSES lists it."
          error={isSubmitted && url.trim() === '' ? 'Enter the address of a registry.' : undefined}
          required
        >
          <Input
            value={url}
            inputMode="url"
            autoComplete="off"
            maxLength={2048}
            onChange={(event) => setUrl(event.target.value)}
          />
        </Field>
      )}
      <Field
        label={registry ? 'Name' : 'Name (optional)'}
        hint={registry ? undefined : 'Leave it empty to use the host.'}
        error={registry && isSubmitted && name.trim() === '' ? 'Enter a name.' : undefined}
      >
        <Input value={name} autoComplete="off" maxLength={80} onChange={(event) => setName(event.target.value)} />
      </Field>
      {save.isError && <Notice tone="bad">{failureText(save.error)}</Notice>}
    </FormDialog>
  );
}

const hostOf = (url: string) => URL.parse(url.trim())?.host ?? url.trim().slice(0, 80);

export function RemoveRegistryDialog({
  userId,
  registry,
  open,
  onClose,
  onRemoved,
}: DialogProps & { registry: Registry; onRemoved: () => void }) {
  const changed = useRegistriesChanged(userId);
  const remove = useSingleMutation({
    mutationFn: () => adminApi.removeRegistry({ params: { id: registry.id } }),
    onSuccess: async () => {
      onClose();
      onRemoved();
      await changed();
    },
  });
  const { name, servers } = registry;
  return (
    <ConfirmDialog
      open={open}
      onOpenChange={(next) => !next && onClose()}
      title={`Remove ${name}?`}
      confirmLabel="Remove registry"
      busy={remove.isPending}
      error={remove.isError ? failureText(remove.error) : undefined}
      onConfirm={() => remove.mutate(undefined)}
    >
      {servers === 0
        ? 'No server was imported from it.'
        : `${counted(servers, 'server imported from it stays', 'servers imported from it stay')}. Souk no longer checks there for new versions.`}
    </ConfirmDialog>
  );
}
