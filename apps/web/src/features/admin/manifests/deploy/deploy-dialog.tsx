import { unansweredText } from '@souk/contract/unanswered-text.ts';
import { useQuery } from '@tanstack/react-query';
import { useRef, type RefObject } from 'react';
import { Button } from '#ui/button.tsx';
import { LinkButton } from '#ui/link-button.tsx';
import { Dialog } from '#ui/overlay/dialog.tsx';
import { Notice } from '#ui/state/notice.tsx';
import { NotLoaded } from '../../not-loaded.tsx';
import { secretsQuery } from '../../server/server-queries.ts';
import { ReasonField } from '../../users/actions/reason-field.tsx';
import { describeAction } from '../failure-texts.ts';
import { ChangeFailure } from './change-failure.tsx';
import { DeployEffects } from './deploy-effects.tsx';
import type { DeployPlan } from './deploy-plan.ts';
import { MissingSecrets } from './missing-secrets.tsx';
import { useDeployment, type DeployDialogProps, type Deployment } from './use-deployment.ts';

type PartProps = DeployDialogProps & { deployment: Deployment };

/** Shows what a deployment changes and for whom, then makes it. Each opening needs a new instance. */
export function DeployDialog(props: DeployDialogProps) {
  const { open, onClose } = props;
  const cancel = useRef<HTMLButtonElement>(null);
  const deployment = useDeployment(props);
  const { plan, deploy, isDone } = deployment;
  return (
    <Dialog
      urgent
      open={open}
      onOpenChange={(next) => !next && !deploy.isPending && onClose()}
      title={titleOf(props.id, deployment)}
      // the effects are read first; focus on a field or link further down would scroll them away
      initialFocus={cancel}
      notices={!isDone && plan && <Warnings {...props} deployment={deployment} plan={plan} />}
      footer={<Footer {...props} deployment={deployment} cancel={cancel} />}
    >
      {isDone ? <Outcome deployment={deployment} /> : <Preview deployment={deployment} />}
    </Dialog>
  );
}

function titleOf(id: string, { plan, isDone, isRollback }: Deployment): string {
  if (isDone) return `${plan?.name ?? id} ${plan?.to ?? ''} is deployed`;
  if (!plan) return `Deploy ${id}?`;
  return isRollback ? `Roll back ${plan.name} to ${plan.to}?` : `Deploy ${plan.name} ${plan.to}?`;
}

function Preview({ deployment: { query, plan, reason, setReason } }: Pick<PartProps, 'deployment'>) {
  return (
    <div className="flex flex-col gap-4">
      {!plan && <NotLoaded query={query} label="Comparing the versions…" describe={describeAction('deploy')} />}
      {plan && <DeployEffects plan={plan} />}
      {plan && <ReasonField value={reason} onChange={setReason} />}
    </div>
  );
}

function Warnings({
  userId,
  id,
  open,
  onClose,
  deployment: { deploy, lookAgain },
  plan,
}: PartProps & { plan: DeployPlan }) {
  const { data } = useQuery({ ...secretsQuery(userId, id), enabled: open && plan.missingSecrets > 0 });
  const missing = data?.needed.filter(({ state, versions }) => state === 'missing' && versions.includes(plan.to));
  return (
    <>
      <MissingSecrets id={id} count={plan.missingSecrets} missing={missing} onLeave={onClose} />
      <ChangeFailure
        action="deploy"
        error={deploy.error}
        shown={{ deployedVersion: plan.from, stagedVersion: plan.staged }}
        onLookAgain={lookAgain}
      />
    </>
  );
}

/** The result of a deployment that needs reading: the server doesn't answer, or there are notes. */
function Outcome({ deployment: { failure, earlier, notes } }: Pick<PartProps, 'deployment'>) {
  return (
    <>
      {failure !== undefined && (
        <Notice tone="bad">
          {unansweredText(failure)} {earlier === undefined ? 'Test' : 'Roll back, or test'} its connection to see why.
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
    </>
  );
}

function Footer({
  id,
  onClose,
  deployment: { plan, deploy, isRollback, isDone, failure, earlier, rollBack },
  cancel,
}: PartProps & { cancel: RefObject<HTMLButtonElement | null> }) {
  return isDone ? (
    <>
      {failure !== undefined && (
        <LinkButton to="/admin" search={{ tab: 'manifests', id, part: 'test' }} onClick={onClose}>
          Test its connection
        </LinkButton>
      )}
      {failure !== undefined && earlier !== undefined && (
        <Button onClick={() => rollBack(earlier)}>Roll back to {earlier}</Button>
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
  );
}
