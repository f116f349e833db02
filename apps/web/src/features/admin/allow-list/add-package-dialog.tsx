import type { AllowedPackageForm, PackagePreview } from '@souk/contract/admin/allowances.ts';
import { ApiError } from '@souk/contract/client.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useFirstErrorFocus } from '#ui/form/focus-first-error.ts';
import { Notice } from '#ui/state/notice.tsx';
import { useToast } from '#ui/overlay/use-toast.ts';
import { failureText } from '#web/texts/failure-text.ts';
import { adminApi } from '../admin-api.ts';
import { SignInAgainNotice, needsSignInAgain } from '../sign-in-again.tsx';
import { useDialogText } from '../use-dialog-text.ts';
import { useSingleMutation } from '../use-single-mutation.ts';
import { FormDialog } from '../users/actions/form-dialog.tsx';
import type { AllowListDialogProps } from './add-address-dialog.tsx';
import { allowancesQuery } from './allow-list-queries.ts';
import { emptyPackage, formOf, PackageFields, type PackageProblems, type TypedPackage } from './package-fields.tsx';
import { PackageShown } from './package-shown.tsx';

function problemsOf(error: unknown): PackageProblems {
  if (!(error instanceof ApiError)) return {};
  const problems: PackageProblems = {};
  for (const { path, message } of error.issues ?? []) {
    const [field = '', at] = path.split('.');
    const name = (Object.keys(emptyPackage) as (keyof TypedPackage)[]).find((one) => one === field);
    // each argument is a line
    const which = name === 'args' && at !== undefined ? `Line ${Number(at) + 1}: ` : '';
    if (name) problems[name] ??= `${which}${message}.`;
  }
  return problems;
}

const noPackage = JSON.stringify(emptyPackage);

/** Allows a package in two steps: the form, then the registry's data to confirm. */
export function AddPackageDialog({ userId, signInAgain, open, onClose }: AllowListDialogProps) {
  const [draft, setDraft] = useDialogText({ adminId: userId, dialog: 'allow-package', open }, 'typed', noPackage);
  const typed: TypedPackage = JSON.parse(draft);
  const [shown, setShown] = useState<{ form: AllowedPackageForm; preview: PackagePreview }>();
  const queries = useQueryClient();
  const toast = useToast();
  const { queryKey } = allowancesQuery(userId);
  const preview = useSingleMutation({
    mutationFn: async (form: AllowedPackageForm) => ({
      form,
      preview: await adminApi.previewAllowedPackage({ body: form }),
    }),
    onSuccess: setShown,
  });
  const add = useSingleMutation({
    mutationFn: ({ form, preview: { code } }: NonNullable<typeof shown>) =>
      adminApi.addAllowedPackage({ body: { form, code } }),
    onSuccess: (answer, { form }) => {
      queries.setQueryData(queryKey, answer);
      toast.success(`${form.alias} is allowed. Manifests can start it now.`);
      onClose();
    },
  });
  const isBusy = preview.isPending || add.isPending;
  const back = () => {
    setShown(undefined);
    add.reset();
  };
  const submit = () => {
    if (shown) add.mutate(shown);
    else preview.mutate(formOf(typed));
  };
  const { error } = shown ? add : preview;
  // a new object for each refusal, so that its first field takes the focus
  const problems = useMemo(() => (shown ? {} : problemsOf(error)), [shown, error]);
  const form = useFirstErrorFocus(problems);
  return (
    <FormDialog
      urgent
      size="medium"
      open={open}
      onClose={onClose}
      title={shown ? `Allow ${shown.form.package}?` : 'Allow an npm package'}
      submitLabel={shown ? 'Allow package' : 'Look it up'}
      variant={shown ? 'danger' : 'primary'}
      busy={isBusy}
      form={form}
      onSubmit={submit}
      onBack={shown && back}
    >
      {shown ? (
        <PackageShown {...shown} />
      ) : (
        <PackageFields
          typed={typed}
          problems={problems}
          onChange={(next) => {
            setDraft(JSON.stringify(next));
            if (preview.isError) preview.reset();
          }}
        />
      )}
      {needsSignInAgain(error) && shown ? (
        <SignInAgainNotice signInAgain={signInAgain} onSignedIn={() => add.mutate(shown)} />
      ) : (
        error && Object.keys(problems).length === 0 && <Notice tone="bad">{failureText(error)}</Notice>
      )}
    </FormDialog>
  );
}
