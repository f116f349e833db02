import { foldEmail } from '@souk/contract/fold-email.ts';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useId, useState, type FormEvent } from 'react';
import { Button } from '#ui/button.tsx';
import { Dialog, preloadDialog } from '#ui/dialog.tsx';
import { Field } from '#ui/field.tsx';
import { useFirstErrorFocus } from '#ui/focus-first-error.ts';
import { Input } from '#ui/input.tsx';
import { Notice } from '#ui/notice.tsx';
import { useToast } from '#ui/use-toast.ts';
import { api } from '#web/api.ts';
import { SectionHeading } from '#ui/section-heading.tsx';
import { failureLine } from '#web/failure-text.ts';
import { useSession } from './session-provider.tsx';
import type { SignedInUser } from './signed-in-user.ts';

/** Deletes the account, once its e-mail has been typed. */
export function DeleteAccount({ user }: { user: SignedInUser }) {
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
    <section aria-labelledby="delete-heading" className="flex flex-col gap-4">
      <SectionHeading
        id="delete-heading"
        title="Delete account"
        text="Your profile, connected apps, access tokens and files here are deleted immediately. Payment and usage records stay, anonymised. Data kept by services stays with them; we can't delete it."
        actions={
          <Button onPointerEnter={preloadDialog} onClick={() => show(true)}>
            Delete account
          </Button>
        }
      />
      <DeleteDialog
        open={open}
        onOpenChange={show}
        email={user.email}
        busy={remove.isPending}
        failure={remove.isError ? remove.error : undefined}
        onConfirm={(email) => remove.mutate(email)}
      />
    </section>
  );
}

type DeleteDialogProps = {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  email: string;
  busy: boolean;
  failure: unknown;
  onConfirm: (email: string) => void;
};

function DeleteDialog({ open, onOpenChange, email, busy, failure, onConfirm }: DeleteDialogProps) {
  const formId = useId();
  const described = failure === undefined ? undefined : failureLine('Failed to delete your account', failure);
  return (
    <Dialog
      urgent
      size="small"
      open={open}
      onOpenChange={onOpenChange}
      title="Delete your account?"
      description="Your profile, connected apps, access tokens, sign-ins at services and settings are deleted. This action cannot be undone."
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
      {open && <ConfirmForm id={formId} email={email} onSubmit={(typed) => busy || onConfirm(typed)} />}
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
