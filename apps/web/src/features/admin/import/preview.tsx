import { maxStagedPerCall, type ImportEntry } from '@souk/contract/admin/imports.ts';
import { useEffect, useRef, useState } from 'react';
import { counted, formatCount } from '#ui/text/amount.ts';
import { Button } from '#ui/button.tsx';
import { LinkButton } from '#ui/link-button.tsx';
import { Notice } from '#ui/state/notice.tsx';
import { failureText } from '#web/texts/failure-text.ts';
import { adminApi } from '../admin-api.ts';
import { useManifestsChanged } from '../manifests/manifest-queries.ts';
import { useSingleMutation } from '../use-single-mutation.ts';
import { useRegistriesChanged } from './import-queries.ts';
import { PreviewEntry, type EntryResult } from './preview-entry.tsx';

/** The servers to stage, which of them are chosen, and the result. Nothing is staged before the click. */
export function Preview({ userId, entries }: { userId: string; entries: readonly ImportEntry[] }) {
  const ready = entries.filter(({ result }) => result === 'ready');
  const [unchosen, setUnchosen] = useState<readonly string[]>([]);
  const manifestsChanged = useManifestsChanged(userId);
  const registriesChanged = useRegistriesChanged(userId);
  const chosen = ready.filter(({ id = '' }) => !unchosen.includes(id));
  const stage = useSingleMutation({
    mutationFn: stageAll,
    onSuccess: () => Promise.all([manifestsChanged(), registriesChanged()]),
  });
  const heading = useRef<HTMLHeadingElement>(null);
  // the pressed button disappears, so the focus moves to the heading
  useEffect(() => {
    if (stage.data) heading.current?.focus();
  }, [stage.data]);
  const results = new Map<string, EntryResult>(stage.data?.map((result) => [result.id, result]));
  const staged = stage.data?.filter(({ result }) => result === 'staged') ?? [];
  return (
    <section aria-labelledby="import-preview" className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <div>
          <h3 id="import-preview" ref={heading} tabIndex={-1} className="text-base font-semibold outline-none">
            Preview
          </h3>
          <p role="status" className="text-[0.8125rem] text-quiet">
            {summaryOf(entries, results)}
          </p>
        </div>
        {ready.length > 0 && !stage.data && (
          <Button
            variant="primary"
            loading={stage.isPending}
            disabled={chosen.length === 0}
            onClick={() => chosen.length > 0 && stage.mutate(chosen)}
          >
            Stage {counted(chosen.length, 'server')}
          </Button>
        )}
      </div>
      {stage.isError && <Notice tone="bad">{failureText(stage.error)}</Notice>}
      {stage.data && (
        <Notice tone={staged.length > 0 ? 'good' : 'info'}>
          <p className="font-medium">{counted(staged.length, 'server is', 'servers are')} staged.</p>
          <p className="text-[0.8125rem] text-quiet">Nothing changes for people until you deploy.</p>
          <div className="mt-2">
            <LinkButton size="small" to="/admin" search={{ tab: 'manifests' }}>
              All manifests
            </LinkButton>
          </div>
        </Notice>
      )}
      <ul aria-label="Servers to import" className="flex flex-col gap-3">
        {entries.map((entry, index) => (
          <PreviewEntry
            key={`${index} ${entry.name}`}
            entry={entry}
            result={entry.id === undefined ? undefined : results.get(entry.id)}
            chosen={chosen.includes(entry)}
            onChoose={
              entry.result === 'ready' && ready.length > 1 && !stage.data
                ? (on) => setUnchosen([...unchosen.filter((id) => id !== entry.id), ...(on ? [] : [entry.id ?? ''])])
                : undefined
            }
          />
        ))}
      </ul>
    </section>
  );
}

/** Stages in batches of up to maxStagedPerCall. */
async function stageAll(entries: readonly ImportEntry[]): Promise<EntryResult[]> {
  const chosen = entries.flatMap(({ manifest, source }) => (manifest ? [{ manifest, ...(source && { source }) }] : []));
  const results: EntryResult[] = [];
  for (let first = 0; first < chosen.length; first += maxStagedPerCall) {
    const answer = await adminApi.stageImport({ body: { entries: chosen.slice(first, first + maxStagedPerCall) } });
    results.push(...answer.results);
  }
  return results;
}

const words = [
  ['staged', 'staged'],
  ['ready', 'ready'],
  ['unchanged', 'already here'],
  ['blocked', 'must be allowed first'],
  ['refused', 'cannot be imported'],
] as const;

/** @param results the servers that were staged, which are no longer ready */
function summaryOf(entries: readonly ImportEntry[], results: ReadonlyMap<string, EntryResult>): string {
  const now = entries.map(({ id, result }) => (id === undefined ? undefined : results.get(id)?.result) ?? result);
  const counts = words.flatMap(([result, word]) => {
    const count = now.filter((one) => one === result).length;
    return count === 0 ? [] : [`${formatCount(count)} ${word}`];
  });
  return counts.join(' · ');
}
