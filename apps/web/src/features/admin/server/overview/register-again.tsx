import { useQueryClient } from '@tanstack/react-query';
import { Button } from '#ui/button.tsx';
import { Ago } from '#ui/text/moment.tsx';
import { Notice } from '#ui/state/notice.tsx';
import { useToast } from '#ui/overlay/use-toast.ts';
import { failureText } from '#web/texts/failure-text.ts';
import { adminApi } from '../../admin-api.ts';
import { useSingleMutation } from '../../use-single-mutation.ts';
import { signInQuery } from '../server-queries.ts';

/** The date of our registration at the authorization server, and a button to register again if that server lost it. */
export function RegisterAgain({
  userId,
  serverId,
  registeredAt,
}: {
  userId: string;
  serverId: string;
  registeredAt: string;
}) {
  const queries = useQueryClient();
  const toast = useToast();
  const again = useSingleMutation({
    mutationFn: () => adminApi.registerAtServerAgain({ params: { id: serverId } }),
    onSuccess: (answer) => {
      queries.setQueryData(signInQuery(userId, serverId).queryKey, answer);
      toast.success('The next sign-in registers again. People who are signed in stay signed in.');
    },
  });
  return (
    <div className="mt-1 flex flex-col items-start gap-2 font-normal">
      <p className="text-[0.8125rem] text-quiet">
        Last registered <Ago moment={registeredAt} />
      </p>
      <Button size="small" loading={again.isPending} onClick={() => again.mutate()}>
        Register again
      </Button>
      {again.isError && <Notice tone="bad">{failureText(again.error)}</Notice>}
    </div>
  );
}
