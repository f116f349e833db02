import { useMutation, type UseMutationOptions, type UseMutationResult } from '@tanstack/react-query';
import { useRef } from 'react';

/**
 * A mutation that is sent once, even on a double click. `isPending` alone comes too late for that: it changes with the next
 * render.
 */
export function useSingleMutation<Answer, Input, Context = unknown>(
  options: UseMutationOptions<Answer, Error, Input, Context> & { mutationFn: (input: Input) => Promise<Answer> },
): UseMutationResult<Answer, Error, Input, Context> {
  const isSent = useRef(false);
  const mutation = useMutation({
    ...options,
    mutationFn: async (input: Input) => {
      try {
        return await options.mutationFn(input);
      } finally {
        isSent.current = false;
      }
    },
  });
  const mutate: typeof mutation.mutate = (...asked) => {
    if (isSent.current) return;
    isSent.current = true;
    mutation.mutate(...asked);
  };
  return { ...mutation, mutate };
}
