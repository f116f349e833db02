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
  /** Undefined: the staged version, else the one that was live last. An earlier one rolls back. */
  version?: string | undefined;
};

export type Deployment = ReturnType<typeof useDeployment>;

/** One deployment: its plan, the reason that is typed, and what came of it. */
export function useDeployment({ userId, id, version: asked, open, onClose }: DeployDialogProps) {
  const toast = useToast();
  const navigate = useNavigate();
  const changed = useManifestsChanged(userId);
  const [reason, setReason] = useDialogText({ adminId: userId, dialog: `deploy.${id}`, open }, 'reason', '');
  /** What is deployed: another one than was asked for once a deployment failed and is rolled back. */
  const [version, setVersion] = useState(asked);
  const query = useQuery({ ...deployPlanQuery(userId, id, version), enabled: open });
  // kept while what was deployed is told: by then the next plan would be another
  const [sent, setSent] = useState<DeployPlan>();
  const plan = sent ?? query.data;
  const deploy = useSingleMutation({
    mutationFn: ({ to, revision }: DeployPlan) =>
      adminApi.deployManifest({ params: { id }, body: { version: to, reason } }, { ifMatch: revision }),
    onMutate: setSent,
    onSuccess: async (answer, { name, effects }) => {
      await changed();
      if (answer.failure !== undefined || untold(answer, effects).length > 0) return;
      toast.show({
        text: `${name} ${answer.version} ${answer.result === 'deployed' ? 'is deployed' : 'was deployed already'}.`,
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
  const notes = deploy.data && plan ? untold(deploy.data, plan.effects) : [];
  return {
    query,
    plan,
    reason,
    setReason,
    deploy,
    /** Why the deployed server does not answer. */
    failure,
    notes,
    /** It is deployed, and there is something to tell of it. */
    isDone: failure !== undefined || notes.length > 0,
    // a version of a deleted server that is deployed again takes nobody's place
    isRollback:
      version !== undefined &&
      plan !== undefined &&
      plan.from !== null &&
      plan.staged !== plan.to &&
      !isLaterVersion(plan.to, plan.from),
    /** The last version whose server answered: one that never worked is no way back from one that does not. */
    before: plan?.answered === plan?.to ? undefined : (plan?.answered ?? undefined),
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

/** Notes that the preview could not have: the tools of a server are known only once it was asked. */
const untold = ({ notes = [] }: { notes?: string[] | undefined }, said: readonly string[]) =>
  notes.filter((note) => !said.includes(note));
