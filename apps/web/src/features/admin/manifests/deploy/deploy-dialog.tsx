import { unansweredText } from '@souk/contract/unanswered-text.ts';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { Button } from '#ui/button.tsx';
import { Dialog } from '#ui/overlay/dialog.tsx';
import { ErrorState } from '#ui/state/error-state.tsx';
import { LinkButton } from '#ui/link-button.tsx';
import { ListSkeleton } from '#ui/state/list-skeleton.tsx';
import { Notice } from '#ui/state/notice.tsx';
import { useToast } from '#ui/overlay/use-toast.ts';
import { adminApi } from '../../admin-api.ts';
import { DeployEffects } from './deploy-effects.tsx';
import { deployPlanQuery, type DeployPlan } from './deploy-plan.ts';
import { actionFailure } from '../failure-texts.ts';
import { useManifestsChanged } from '../manifest-queries.ts';
import { MissingSecrets } from './missing-secrets.tsx';
import { isStaleWrite } from '../../refusals.ts';
import { MovedNotice } from './moved-notice.tsx';
import { useDialogText } from '../../use-dialog-text.ts';
import { useSingleMutation } from '../../use-single-mutation.ts';
import { isLaterVersion } from '../../versions.ts';
import { secretsQuery } from '../../server/server-queries.ts';
import { ReasonField } from '../../users/actions/reason-field.tsx';

export type DeployDialogProps = {
  userId: string;
  /** The server's id. */
  id: string;
  /** Undefined: the staged version, else the one that was live last. An earlier one rolls back. */
  version?: string | undefined;
  open: boolean;
  onClose: () => void;
  /** It is deployed, whether the server answers or not. */
  onDone?: ((version: string) => void) | undefined;
};

/** Shows what a deployment changes and for whom, then makes it. One for each opening: its state begins anew. */
export function DeployDialog({ userId, id, version: asked, open, onClose, onDone }: DeployDialogProps) {
  const toast = useToast();
  const navigate = useNavigate();
  const changed = useManifestsChanged(userId);
  const cancel = useRef<HTMLButtonElement>(null);
  const [reason, setReason] = useDialogText({ adminId: userId, dialog: `deploy.${id}`, open }, 'reason', '');
  /** What is deployed: another one than was asked for once a deployment failed and is rolled back. */
  const [version, setVersion] = useState(asked);
  const query = useQuery({ ...deployPlanQuery(userId, id, version), enabled: open });
  // kept while what was deployed is told: by then the next plan would be another
  const [sent, setSent] = useState<DeployPlan>();
  const plan = sent ?? query.data;
  const secrets = useQuery({ ...secretsQuery(userId, id), enabled: open && (plan?.missingSecrets ?? 0) > 0 });
  const missing = secrets.data?.needed.filter(
    ({ state, versions }) => state === 'missing' && versions.includes(plan?.to ?? ''),
  );
  const deploy = useSingleMutation({
    mutationFn: ({ to, revision }: DeployPlan) =>
      adminApi.deployManifest({ params: { id }, body: { version: to, reason } }, { ifMatch: revision }),
    onMutate: setSent,
    onSuccess: async (answer, { name, effects }) => {
      await changed();
      onDone?.(answer.version);
      if (answer.failure !== undefined || untold(answer, effects).length > 0) return;
      toast.show({
        text:
          answer.result === 'deployed'
            ? `${name} ${answer.version} is deployed.`
            : `${name} ${answer.version} was deployed already.`,
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
  const isDone = failure !== undefined || notes.length > 0;
  // a version of a deleted server that is deployed again takes nobody's place
  const isRollback =
    version !== undefined &&
    plan !== undefined &&
    plan.from !== null &&
    plan.staged !== plan.to &&
    !isLaterVersion(plan.to, plan.from);
  const title = plan
    ? `${isRollback ? 'Roll back' : 'Deploy'} ${plan.name} ${isRollback ? 'to ' : ''}${plan.to}?`
    : `Deploy ${id}?`;
  /** The last version whose server answered: one that never worked is no way back from one that does not. */
  const before = plan?.answered === plan?.to ? undefined : (plan?.answered ?? undefined);
  const rollBack = (to: string) => {
    deploy.reset();
    setSent(undefined);
    setReason('');
    setVersion(to);
  };
  return (
    <Dialog
      urgent
      open={open}
      onOpenChange={(next) => !next && !deploy.isPending && onClose()}
      title={!isDone ? title : `${plan?.name ?? id} ${plan?.to ?? ''} is deployed`}
      // what it does is read first, and a field or a link further down would scroll it away
      initialFocus={cancel}
      notices={
        !isDone &&
        plan && (
          <>
            <MissingSecrets id={id} count={plan.missingSecrets} missing={missing} onLeave={onClose} />
            {isStaleWrite(deploy.error) && (
              <MovedNotice
                error={deploy.error}
                shown={{ deployedVersion: plan.from, stagedVersion: plan.staged }}
                onLookAgain={() => {
                  deploy.reset();
                  void query.refetch();
                }}
              />
            )}
            {deploy.isError && !isStaleWrite(deploy.error) && (
              <Notice tone="bad">{actionFailure('deploy', deploy.error)}</Notice>
            )}
          </>
        )
      }
      footer={
        isDone ? (
          <>
            {failure !== undefined && (
              <LinkButton to="/admin" search={{ tab: 'manifests', id, part: 'test' }} onClick={onClose}>
                Test its connection
              </LinkButton>
            )}
            {failure !== undefined && before !== undefined && (
              <Button onClick={() => rollBack(before)}>Roll back to {before}</Button>
            )}
            <Button ref={cancel} variant="primary" onClick={onClose}>
              Close
            </Button>
          </>
        ) : (
          <>
            <Button ref={cancel} onClick={() => !deploy.isPending && onClose()}>
              Cancel
            </Button>
            <Button
              variant="primary"
              loading={deploy.isPending}
              disabled={!plan}
              onClick={() => plan && !deploy.isPending && deploy.mutate(plan)}
            >
              {isRollback ? 'Roll back to' : 'Deploy'} {plan?.to}
            </Button>
          </>
        )
      }
    >
      {failure !== undefined && (
        <Notice tone="bad">
          {unansweredText(failure)} {before === undefined ? 'Test' : 'Roll back, or test'} its connection to see why.
        </Notice>
      )}
      {notes.length > 0 && (
        <Notice tone="info">
          <ul className="space-y-1 wrap-anywhere">
            {notes.map((note) => (
              <li key={note}>{note}</li>
            ))}
          </ul>
        </Notice>
      )}
      {!isDone && (
        <div className="flex flex-col gap-4">
          {query.isError && !plan && (
            <ErrorState
              title={actionFailure('deploy', query.error)}
              onRetry={() => void query.refetch()}
              retrying={query.isFetching}
            />
          )}
          {!query.isError && !plan && <ListSkeleton label="Comparing the versions…" />}
          {plan && <DeployEffects plan={plan} />}
          {plan && <ReasonField value={reason} onChange={setReason} />}
        </div>
      )}
    </Dialog>
  );
}

/** Notes that the preview could not have: the tools of a server are known only once it was asked. */
const untold = ({ notes = [] }: { notes?: string[] | undefined }, said: readonly string[]) =>
  notes.filter((note) => !said.includes(note));
