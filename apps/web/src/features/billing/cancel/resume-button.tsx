import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { Button } from '#ui/button.tsx';
import { ConfirmDialog } from '#ui/overlay/confirm-dialog.tsx';
import { preloadDialog } from '#ui/overlay/dialog.tsx';
import { useToast } from '#ui/overlay/use-toast.ts';
import { failureLine } from '#web/texts/failure-text.ts';
import { HiddenName } from '#ui/text/hidden-name.tsx';
import { announceSubscriptionUpdate } from '../subscription-updated.ts';

export type ResumeButtonProps = {
  userId: string;
  name: string;
  resume: () => Promise<{ message: string }>;
  /** The text says what is charged, and when. `confirmLabel` is given if the user will pay twice. */
  question: { title: string; text: string; confirmLabel?: string | undefined };
};

export function ResumeButton({ userId, name, resume, question }: ResumeButtonProps) {
  const [isAsking, setAsking] = useState(false);
  const queries = useQueryClient();
  const toast = useToast();
  const button = useRef<HTMLButtonElement>(null);
  const isResumed = useRef(false);
  useEffect(() => {
    const place = button.current?.closest('li, article');
    return () => {
      // the dialog, which is removed with the button, must return the focus first
      if (place && isResumed.current) requestAnimationFrame(() => focusSuccessor(place));
    };
  }, []);
  const mutation = useMutation({
    mutationFn: resume,
    onSuccess: async ({ message }) => {
      isResumed.current = true;
      await announceSubscriptionUpdate(queries, userId);
      toast.success(message);
    },
    onError: (error) => toast.error(failureLine('Failed to resume', error)),
    onSettled: () => setAsking(false),
  });
  return (
    <>
      <Button
        ref={button}
        size="small"
        loading={mutation.isPending}
        onPointerEnter={preloadDialog}
        onClick={() => setAsking(true)}
      >
        Resume
        <HiddenName name={name} />
      </Button>
      <ConfirmDialog
        open={isAsking}
        onOpenChange={setAsking}
        title={question.title}
        confirmLabel={question.confirmLabel ?? 'Resume'}
        cancelLabel="Not now"
        variant="primary"
        busy={mutation.isPending}
        onConfirm={() => !mutation.isPending && mutation.mutate()}
      >
        {question.text}
      </ConfirmDialog>
    </>
  );
}

/** Moves the focus from the heading, where the dialog has left it, to the new Cancel button in the same row or card. */
function focusSuccessor(place: Element): void {
  if (!document.activeElement?.matches('body, h1, h2, h3')) return;
  const buttons = [...place.querySelectorAll<HTMLElement>('button')];
  buttons.find(({ textContent }) => textContent.startsWith('Cancel'))?.focus();
}
