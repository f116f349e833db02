import { useState } from 'react';
import { Button } from '#ui/button.tsx';
import { Ago } from '#ui/text/moment.tsx';
import { LazyDifferences } from '../editor/lazy-differences.tsx';
import { stagerOf, type ShownManifest } from '../server-queries.ts';

/** Shows both texts after another administrator changed the manifest during the editing. */
export function ManifestConflict({
  shown,
  stored,
  own,
  onKeepOwn,
  onTakeStored,
}: {
  shown: ShownManifest;
  stored: string;
  own: () => string;
  onKeepOwn: () => void;
  onTakeStored: () => void;
}) {
  const [compared, setCompared] = useState<string>();
  const { listed, versions } = shown;
  const [newest] = versions;
  const state = [
    `${listed?.deployedVersion ?? 'nothing'} is deployed`,
    `${listed?.stagedVersion ?? 'nothing'} is staged`,
  ].join(', ');
  return (
    <section
      aria-labelledby="manifest-conflict"
      className="flex flex-col gap-3 rounded-lg border border-line-strong bg-surface p-4"
    >
      <div role="alert">
        <h3 id="manifest-conflict" className="font-semibold">
          This server was changed while you were writing
        </h3>
        <p className="mt-1 text-quiet wrap-anywhere">
          Now {state}.
          {newest && (
            <>
              {' '}
              {newest.version} was staged by {stagerOf(newest)} <Ago moment={newest.createdAt} />.
            </>
          )}{' '}
          Your text is still here. Nothing was saved.
        </p>
      </div>
      <div className="flex flex-wrap gap-2">
        <Button onClick={() => setCompared(own())}>{compared === undefined ? 'Compare both' : 'Compare again'}</Button>
        <Button onClick={onTakeStored}>Use the stored text</Button>
        <Button variant="primary" onClick={onKeepOwn}>
          Keep my text
        </Button>
      </div>
      {compared !== undefined && (
        <LazyDifferences beforeLabel="Stored now" afterLabel="Your text" before={stored} after={compared} />
      )}
    </section>
  );
}
