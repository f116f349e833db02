import type { createManifest } from '@souk/contract/admin/manifests.ts';
import type { AnswerOutput } from '@souk/contract/endpoint.ts';
import { useQuery } from '@tanstack/react-query';
import X from 'lucide-react/icons/x';
import { Button } from '#ui/button.tsx';
import { IconButton } from '#ui/icon-button.tsx';
import { LinkButton } from '#ui/link-button.tsx';
import { Notice } from '#ui/state/notice.tsx';
import { isNotFound } from '../../refusals.ts';
import { shownManifestQuery, type ManifestVersion } from '../../server/server-queries.ts';

const stateTexts: Record<ManifestVersion['status'], string> = {
  staging: 'is staged.',
  deployed: 'is deployed.',
  superseded: 'is not staged any more.',
};

export function UploadResult({
  userId,
  answer: { id, version, result, stripeResult, notes = [] },
  onDeploy,
  onDismiss,
}: {
  userId: string;
  answer: AnswerOutput<typeof createManifest>;
  onDeploy: (id: string) => void;
  onDismiss: () => void;
}) {
  const { data, error } = useQuery({ ...shownManifestQuery(userId, id), enabled: result === 'staged' });
  // it may be deployed, replaced or deleted from the list, or by another administrator
  const isDeleted = isNotFound(error);
  const now = isDeleted ? undefined : data ? data.versions.find((one) => one.version === version)?.status : 'staging';
  return (
    <Notice
      tone={result === 'staged' && (now === 'staging' || now === 'deployed') ? 'good' : 'info'}
      action={<IconButton size="small" label="Close" icon={<X aria-hidden size={15} />} onClick={onDismiss} />}
    >
      <p className="font-medium">
        {id} {version} {result === 'staged' ? stateTexts[now ?? 'superseded'] : 'is already here: nothing changed.'}
      </p>
      {stripeResult && (
        <p className="text-[0.8125rem] text-quiet">
          Its rental is product <code>{stripeResult.productId}</code> at the payment provider.
        </p>
      )}
      {notes.length > 0 && (
        <ul className="mt-1 space-y-1 wrap-anywhere">
          {notes.map((note) => (
            <li key={note}>{note}</li>
          ))}
        </ul>
      )}
      <div className="mt-2 flex flex-wrap gap-2">
        {result === 'staged' && now === 'staging' && (
          <Button size="small" variant="primary" onClick={() => onDeploy(id)}>
            Deploy now
          </Button>
        )}
        {!isDeleted && (
          <LinkButton size="small" to="/admin" search={{ tab: 'manifests', id }}>
            Open its page
          </LinkButton>
        )}
      </div>
    </Notice>
  );
}
