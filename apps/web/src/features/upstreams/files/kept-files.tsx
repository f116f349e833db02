import type { KeptFiles as Kept } from '@souk/contract/upstreams.ts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { Button } from '#ui/button.tsx';
import { Card } from '#ui/card.tsx';
import { ConfirmDialog } from '#ui/overlay/confirm-dialog.tsx';
import { Notice } from '#ui/state/notice.tsx';
import { config } from '#web/config.ts';
import { failureText } from '#web/texts/failure-text.ts';
import { keptSize } from '#web/texts/kept-size.ts';
import { upstreamKey, upstreamsApi } from '../upstreams-api.ts';

type Server = Kept['servers'][number];

/** The files that services keep here for the user: their size, and a button that deletes them. */
export function KeptFiles({ userId, files }: { userId: string; files: Kept }) {
  const queries = useQueryClient();
  const heading = useRef<HTMLHeadingElement>(null);
  const [asked, setAsked] = useState<Server>();
  const [said, setSaid] = useState('');
  const remove = useMutation({
    mutationFn: ({ serverId }: Server) => upstreamsApi.deleteProgramFiles({ params: { userId, serverId } }),
    onSuccess: async (_answer, { name }) => {
      await queries.invalidateQueries({ queryKey: upstreamKey(userId) });
      setAsked(undefined);
      setSaid(`Your files at ${name} are deleted.`);
      // the focused button was removed
      heading.current?.focus();
    },
  });
  const keptText = `Services keep files for you here: ${keptSize(files.totalBytes)} of the ${keptSize(files.allowedBytes)} that you may have.`;
  return (
    <Card as="section" aria-labelledby="files-heading" className="flex flex-col gap-4 sm:p-5">
      <h2 id="files-heading" ref={heading} tabIndex={-1} className="font-semibold">
        Your files
      </h2>
      {files.totalBytes > files.allowedBytes ? (
        <Notice tone="bad">{keptText} Services can keep no more until you free up space.</Notice>
      ) : (
        <p className="text-quiet">{keptText}</p>
      )}
      <ul className="flex flex-col gap-2">
        {files.servers.map((server) => (
          <li key={server.serverId} className="flex flex-wrap items-center justify-between gap-3">
            <span className="wrap-anywhere">
              {server.name}: {keptSize(server.bytes)}
            </span>
            <Button aria-label={`Delete your files at ${server.name}`} onClick={() => setAsked(server)}>
              Delete
            </Button>
          </li>
        ))}
      </ul>
      <ConfirmDialog
        open={asked !== undefined}
        onOpenChange={() => {
          remove.reset();
          setAsked(undefined);
        }}
        title={`Delete your files at ${asked?.name ?? ''}?`}
        confirmLabel="Delete files"
        busy={remove.isPending}
        error={remove.isError ? failureText(remove.error) : undefined}
        onConfirm={() => asked && !remove.isPending && remove.mutate(asked)}
      >
        {`Everything that ${asked?.name ?? ''} keeps for you at ${config.brandName} is deleted. This action cannot be undone.`}
      </ConfirmDialog>
      <p role="status" className="sr-only">
        {said}
      </p>
    </Card>
  );
}
