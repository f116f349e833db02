import type { createManifest } from '@souk/contract/admin-manifests.ts';
import type { AnswerOutput } from '@souk/contract/endpoint.ts';
import X from 'lucide-react/icons/x';
import { Button } from '#ui/button.tsx';
import { IconButton } from '#ui/icon-button.tsx';
import { LinkButton } from '#ui/link-button.tsx';
import { Notice } from '#ui/notice.tsx';

/** What was staged, and the ways on from there. */
export function UploadResult({
  answer: { id, version, result, stripeResult, notes = [] },
  onDeploy,
  onDismiss,
}: {
  answer: AnswerOutput<typeof createManifest>;
  onDeploy: (id: string) => void;
  onDismiss: () => void;
}) {
  return (
    <Notice
      tone={result === 'staged' ? 'good' : 'info'}
      action={<IconButton size="small" label="Close" icon={<X aria-hidden size={15} />} onClick={onDismiss} />}
    >
      <p className="font-medium">
        {result === 'staged' ? `${id} ${version} is staged.` : `${id} ${version} is here already: nothing changed.`}
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
        {result === 'staged' && (
          <Button size="small" variant="primary" onClick={() => onDeploy(id)}>
            Deploy now
          </Button>
        )}
        <LinkButton size="small" to="/admin" search={{ tab: 'manifests', id }}>
          Open its page
        </LinkButton>
      </div>
    </Notice>
  );
}
