import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useToast } from '#ui/overlay/use-toast.ts';
import { adminApi } from '../../admin-api.ts';
import { useDialogText } from '../../use-dialog-text.ts';
import { useSingleMutation } from '../../use-single-mutation.ts';
import { isLaterVersion } from '../../versions.ts';
import { useManifestsChanged } from '../manifest-queries.ts';
import type { ServerDialogProps } from '../server-dialog.ts';
import { deployPlanQuery, type DeployPlan } from './deploy-plan.ts';

export type DeployDialogProps = ServerDialogProps & {
  /** undefined: the staged version, else the one that was live last. An earlier version rolls back. */
  version?: string | undefined;
};

export type Deployment = ReturnType<typeof useDeployment>;

export function useDeployment({ userId, id, version: asked, open, onClose }: DeployDialogProps) {
  const toast = useToast();
  const navigate = useNavigate();
  const changed = useManifestsChanged(userId);
  const [reason, setReason] = useDialogText({ adminId: userId, dialog: `deploy.${id}`, open }, 'reason', '');
  /** The version to deploy; it changes when a failed deployment is rolled back. */
  const [version, setVersion] = useState(asked);
  const query = useQuery({ ...deployPlanQuery(userId, id, version), enabled: open });
  // kept while the result is shown, since the query has the next plan by then
  const [sent, setSent] = useState<DeployPlan>();
  const plan = sent ?? query.data;
  const deploy = useSingleMutation({
    mutationFn: ({ to, revision }: DeployPlan) =>
      adminApi.deployManifest({ params: { id }, body: { version: to, reason } }, { ifMatch: revision }),
    onMutate: setSent,
    onSuccess: async (answer, { name, effects }) => {
      await changed();
      if (answer.failure !== undefined || unpreviewed(answer, effects).length > 0) return;
      toast.show({
        text: `${name} ${answer.version} ${answer.result === 'deployed' ? 'is deployed' : 'was already deployed'}.`,
        tone: 'good',
        action: {
          label: 'See it in the shop',
          onSelect: () => void navigate({ to: '/service/$serviceId', params: { serviceId: id } }),
        },
      });
      onClose();
    },
    onError: () => setSent(undefined),
  });
  const failure = deploy.data?.failure;
  const notes = deploy.data && plan ? unpreviewed(deploy.data, plan.effects) : [];
  return {
    query,
    plan,
    reason,
    setReason,
    deploy,
    failure,
    notes,
    /** Whether it is deployed and there is a result to read. */
    isDone: failure !== undefined || notes.length > 0,
    // redeploying a deleted server isn't a rollback
    isRollback:
      version !== undefined &&
      plan !== undefined &&
      plan.from !== null &&
      plan.staged !== plan.to &&
      !isLaterVersion(plan.to, plan.from),
    /** The version to roll back to: the last one whose server answered. */
    earlier: plan?.answered === plan?.to ? undefined : (plan?.answered ?? undefined),
    rollBack(to: string): void {
      deploy.reset();
      setSent(undefined);
      setReason('');
      setVersion(to);
    },
    lookAgain(): void {
      deploy.reset();
      void query.refetch();
    },
  };
}

/** Returns the notes that the preview couldn't have, since a server's tools are known only once it has been asked. */
const unpreviewed = ({ notes = [] }: { notes?: string[] | undefined }, previewed: readonly string[]) =>
  notes.filter((note) => !previewed.includes(note));
