import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { counted, formatCount } from '#ui/text/amount.ts';
import { ConfirmDialog } from '#ui/overlay/confirm-dialog.tsx';
import { NotLoaded } from '../../not-loaded.tsx';
import { describeAction } from '../failure-texts.ts';
import { DeployAllEffects } from './deploy-all-effects.tsx';
import { deployAllPreviewQuery, deployedQuery, type ManifestList } from '../manifest-queries.ts';
import type { RunKind } from '../runs/run-queries.ts';
import { useDialogText } from '../../use-dialog-text.ts';
import { ReasonField } from '../../users/actions/reason-field.tsx';

export type AllManifestsDialogsProps = {
  userId: string;
  asked: RunKind | undefined;
  /** Drafts that come with this installation; deploy-all leaves them out. */
  bundledDrafts: number;
  onClose: () => void;
  onConfirm: (run: { kind: RunKind; reason?: string }) => void;
};

/** Asks before reloading or deploying everything: how many manifests, which, and what changes for users. */
export function AllManifestsDialogs({ userId, asked, bundledDrafts, onClose, onConfirm }: AllManifestsDialogsProps) {
  const deployed = useQuery({ ...deployedQuery(userId), enabled: asked === 'reload' });
  const staged = useQuery({ ...deployAllPreviewQuery(userId), enabled: asked === 'deploy-all' });
  const [reason, setReason] = useDialogText(
    { adminId: userId, dialog: 'deploy-all', open: asked === 'deploy-all' },
    'reason',
    '',
  );
  const nameOf = (total: number | undefined, what: string) => (total === undefined ? `${what}s` : counted(total, what));
  return (
    <>
      <ConfirmDialog
        open={asked === 'reload'}
        onOpenChange={onClose}
        variant="primary"
        title={`Reload ${nameOf(deployed.data?.pagination.total, 'deployed server')}?`}
        confirmLabel="Reload all"
        onConfirm={() => onConfirm({ kind: 'reload' })}
      >
        <p>
          Souk rereads every deployed manifest, opens new connections and asks each server what it offers. Running calls
          finish first. Nothing is deployed.
        </p>
        {deployed.data ? <Names list={deployed.data} /> : <NotRead query={deployed} action="reload" />}
      </ConfirmDialog>
      <ConfirmDialog
        open={asked === 'deploy-all'}
        onOpenChange={onClose}
        variant="primary"
        title={`Deploy ${nameOf(staged.data?.total, 'staged manifest')}?`}
        confirmLabel="Deploy all"
        size="medium"
        disabled={!staged.data}
        startsAtCancel
        onConfirm={() => {
          onConfirm({ kind: 'deploy-all', reason });
          setReason('');
        }}
      >
        <p>
          Each replaces its deployed version, one by one. If one fails, its deployed version stays, the others go on,
          and you see the reason. A server that doesn’t answer is deployed anyway, and you see the reason.
        </p>
        {staged.data ? (
          <DeployAllEffects preview={staged.data} onLeave={onClose} />
        ) : (
          <NotRead query={staged} action="deploy" />
        )}
        {bundledDrafts > 0 && (
          <p className="mt-3 text-[0.8125rem]">
            {counted(bundledDrafts, 'bundled draft is', 'bundled drafts are')} not included: drafts are deployed by name
            only.
          </p>
        )}
        {staged.data && (
          <div className="mt-4 text-text">
            <ReasonField value={reason} onChange={setReason} />
          </div>
        )}
      </ConfirmDialog>
    </>
  );
}

function NotRead({ query, action }: { query: UseQueryResult; action: 'reload' | 'deploy' }) {
  return (
    <div className="mt-4">
      <NotLoaded query={query} label="Loading the manifests…" describe={describeAction(action)} />
    </div>
  );
}

function Names({ list: { manifests, pagination } }: { list: ManifestList }) {
  const more = pagination.total - manifests.length;
  return (
    <ul className="mt-3 max-h-56 overflow-y-auto rounded-md border border-line px-3 py-2 text-text">
      {manifests.map(({ id, name, deployedVersion }) => (
        <li key={id} className="flex justify-between gap-4 py-0.5">
          <span dir="auto" className="min-w-0 wrap-anywhere">
            {name}
          </span>
          <span className="shrink-0 text-quiet tabular-nums">{deployedVersion}</span>
        </li>
      ))}
      {more > 0 && <li className="py-0.5 text-quiet">and {formatCount(more)} more</li>}
    </ul>
  );
}
