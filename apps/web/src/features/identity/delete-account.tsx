import { foldEmail } from '@souk/contract/fold-email.ts';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useId, useState, type FormEvent, type ReactNode } from 'react';
import { Button } from '#ui/button.tsx';
import { Dialog, preloadDialog } from '#ui/overlay/dialog.tsx';
import { Field } from '#ui/form/field.tsx';
import { useFirstErrorFocus } from '#ui/form/focus-first-error.ts';
import { Input } from '#ui/form/input.tsx';
import { Notice } from '#ui/state/notice.tsx';
import { useToast } from '#ui/overlay/use-toast.ts';
import { api } from '#web/api.ts';
import { TitledSection } from '#ui/text/section-heading.tsx';
import { failureLine } from '#web/texts/failure-text.ts';
import { useSession } from './session/session-provider.tsx';
import type { SignedInUser } from './session/signed-in-user.ts';

/** Both texts are shared by the page and its dialog. */
const deletedText =
  'Your profile, settings, connected apps, access tokens and sign-ins to services are deleted immediately.';
const keptText =
  "We keep anonymized records of payments and credits, and a fingerprint of your e-mail so that welcome credits and trials are given only once. Data that services keep on their own servers stays with them; we can't delete it.";

/**
 * Deletes the account after the user has typed its e-mail.
 * @param losses what ends with the account, from another feature
 * @param files what is deleted with it, for the page and the dialog
 */
export function DeleteAccount({ user, losses, files }: { user: SignedInUser; losses: ReactNode; files: ReactNode }) {
  const { session } = useSession();
  const navigate = useNavigate();
  const toast = useToast();
  const [open, setOpen] = useState(false);
  const remove = useMutation({
    mutationFn: (confirm: string) => api.deleteMyAccount({ params: { userId: user.id }, body: { confirm } }),
    onSuccess: async () => {
      const done = session.signOut();
      await navigate({ to: '/' });
      toast.success('Your account has been deleted.');
      await done;
    },
  });
  const show = (next: boolean) => {
    if (remove.isPending) return;
    remove.reset();
    setOpen(next);
  };
  return (
    <TitledSection
      id="delete-heading"
      title="Delete account"
      text={`${deletedText} ${keptText}`}
      actions={
        <Button onPointerEnter={preloadDialog} onClick={() => show(true)}>
          Delete account
        </Button>
      }
    >
      {files}
      <DeleteDialog
        open={open}
        onOpenChange={show}
        email={user.email}
        losses={losses}
        files={files}
        busy={remove.isPending}
        failure={remove.isError ? remove.error : undefined}
        onConfirm={(email) => remove.mutate(email)}
      />
    </TitledSection>
  );
}

type DeleteDialogProps = {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  email: string;
  losses: ReactNode;
  files: ReactNode;
  busy: boolean;
  failure: unknown;
  onConfirm: (email: string) => void;
};

function DeleteDialog({ open, onOpenChange, email, losses, files, busy, failure, onConfirm }: DeleteDialogProps) {
  const formId = useId();
  const described = failure === undefined ? undefined : failureLine('Failed to delete your account', failure);
  return (
    <Dialog
      urgent
      size="small"
      open={open}
      onOpenChange={onOpenChange}
      title="Delete your account?"
      description={`${deletedText} This action cannot be undone.`}
      footer={
        <>
          <Button onClick={() => onOpenChange(false)}>Cancel</Button>
          <Button type="submit" form={formId} variant="danger" loading={busy}>
            Delete account
          </Button>
        </>
      }
    >
      {described && (
        <div className="mb-4">
          <Notice tone="bad">{described}</Notice>
        </div>
      )}
      {open && (
        <div className="flex flex-col gap-5">
          {losses}
          {files}
          <p className="text-quiet">Apps that use your link stop working immediately. {keptText}</p>
          <ConfirmForm id={formId} email={email} onSubmit={(typed) => busy || onConfirm(typed)} />
        </div>
      )}
    </Dialog>
  );
}

function ConfirmForm({ id, email, onSubmit }: { id: string; email: string; onSubmit: (typed: string) => void }) {
  const [typed, setTyped] = useState('');
  const [errors, setErrors] = useState<{ email?: string }>({});
  const form = useFirstErrorFocus(errors);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const fits = foldEmail(typed.trim()) === foldEmail(email);
    setErrors(fits ? {} : { email: "This isn't the e-mail of your account." });
    if (fits) onSubmit(typed.trim());
  };
  return (
    <form id={id} ref={form} onSubmit={submit} noValidate>
      <Field label="Your e-mail" hint={`Type ${email} to confirm.`} error={errors.email}>
        <Input
          type="email"
          autoComplete="off"
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
      </Field>
    </form>
  );
}
