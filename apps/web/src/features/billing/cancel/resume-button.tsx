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
  /** Takes the end back. */
  resume: () => Promise<{ message: string }>;
  /** Says what is charged when. `confirmLabel` names it where the person pays twice. */
  question: { title: string; text: string; confirmLabel?: string | undefined };
};

/** Asks, then takes the end of a rental or a plan back. */
export function ResumeButton({ userId, name, resume, question }: ResumeButtonProps) {
  const [isAsking, setAsking] = useState(false);
  const queries = useQueryClient();
  const toast = useToast();
  const button = useRef<HTMLButtonElement>(null);
  const isResumed = useRef(false);
  useEffect(() => {
    const place = button.current?.closest('li, article');
    return () => {
      // after the dialog, which goes with the button, has given the focus back
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

/**
 * Moves a focus that went away with its button to the one that cancels again, in the same row or card. The dialog has left it on
 * the heading around the row, for want of the button.
 */
function focusSuccessor(place: Element): void {
  if (!document.activeElement?.matches('body, h1, h2, h3')) return;
  const buttons = [...place.querySelectorAll<HTMLElement>('button')];
  buttons.find(({ textContent }) => textContent.startsWith('Cancel'))?.focus();
}
