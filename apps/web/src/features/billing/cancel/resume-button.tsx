import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Button } from '#ui/button.tsx';
import { useToast } from '#ui/use-toast.ts';
import { failureLine } from '#web/failure-text.ts';
import { announceSubscriptionUpdate } from '../subscription-updated.ts';

export type ResumeButtonProps = {
  userId: string;
  name: string;
  /** Takes the end back. */
  resume: () => Promise<{ message: string }>;
};

/** Takes the end of a rental or a plan back, at once: nothing is charged before the next period. */
export function ResumeButton({ userId, name, resume }: ResumeButtonProps) {
  const queries = useQueryClient();
  const toast = useToast();
  const mutation = useMutation({
    mutationFn: resume,
    onSuccess: async ({ message }) => {
      await announceSubscriptionUpdate(queries, userId);
      toast.success(message);
    },
    onError: (error) => toast.error(failureLine('Failed to resume', error)),
  });
  return (
    <Button size="small" loading={mutation.isPending} onClick={() => mutation.mutate()}>
      Resume<span className="sr-only"> {name}</span>
    </Button>
  );
}
