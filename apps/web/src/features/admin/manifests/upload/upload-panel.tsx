import ClipboardPaste from 'lucide-react/icons/clipboard-paste';
import Download from 'lucide-react/icons/download';
import { useEffect, useRef, useState, type DragEvent } from 'react';
import { Button } from '#ui/button.tsx';
import { Card } from '#ui/card.tsx';
import { LinkButton } from '#ui/link-button.tsx';
import { classNames } from '#ui/class-names.ts';
import { SectionHeading } from '#ui/text/section-heading.tsx';
import { TextAnchor } from '#ui/text/text-link.tsx';
import { FileButton } from '../../file-button.tsx';
import { UpdatesLink } from '../../import/updates-link.tsx';
import { UploadDraftForm } from './upload-draft-form.tsx';
import { UploadResult } from './upload-result.tsx';
import { UploadFault } from './upload-fault.tsx';
import { useUpload } from './use-upload.ts';

export type UploadPanelProps = {
  userId: string;
  onDeploy: (id: string) => void;
};

/** 'Upload Manifest': a dropped or chosen file, or pasted text; both can be edited before staging (spec part 2, section 2). */
export function UploadPanel({ userId, onDeploy }: UploadPanelProps) {
  const work = useUpload(userId);
  const drop = useFileDrop((file) => void work.choose(file));
  const { draft } = work;
  return (
    <Card
      as="section"
      aria-labelledby="upload-manifest"
      {...drop.handlers}
      className={classNames('flex flex-col gap-4', drop.isOver && 'border-accent! bg-accent-soft!')}
    >
      <SectionHeading
        id="upload-manifest"
        title="Upload Manifest"
        fillsCard
        text={
          drop.isOver ? (
            'Drop the file to read it.'
          ) : (
            <>
              A manifest is staged first: nothing changes for people until you deploy it.
              <span className="mt-1 flex flex-wrap items-center gap-x-3 gap-y-1">
                {(draft === undefined || draft.text === '') && (
                  <Button size="small" variant="ghost" className="-ml-2.5" onClick={work.startFromTemplate}>
                    Start from a template
                  </Button>
                )}
                <TextAnchor href="/docs/manifests" newTab>
                  Fields of a manifest
                </TextAnchor>
                <UpdatesLink userId={userId} />
              </span>
            </>
          )
        }
        actions={
          <div className="flex flex-wrap gap-2">
            <FileButton label="JSON file" accept=".json,application/json" onChoose={(file) => void work.choose(file)}>
              Upload JSON File
            </FileButton>
            <Button icon={<ClipboardPaste aria-hidden size={16} />} onClick={work.paste}>
              Paste JSON Text
            </Button>
            <LinkButton
              to="/admin"
              search={{ tab: 'manifests', import: 'text' }}
              icon={<Download aria-hidden size={16} />}
            >
              Import
            </LinkButton>
          </div>
        }
      />
      {work.refused && <UploadFault fault={work.refused} />}
      {draft && <UploadDraftForm key={draft.fileName} draft={draft} work={work} />}
      {!draft && work.upload.data && (
        <UploadResult userId={userId} answer={work.upload.data} onDeploy={onDeploy} onDismiss={work.discard} />
      )}
    </Card>
  );
}

/** Takes files dropped on an element. Elsewhere it stops the browser from opening them in place of the page. */
function useFileDrop(take: (file: File) => void) {
  const [isOver, setIsOver] = useState(false);
  const depth = useRef(0);
  useEffect(() => {
    const keep = (event: globalThis.DragEvent) => {
      if (event.dataTransfer?.types.includes('Files')) event.preventDefault();
    };
    window.addEventListener('dragover', keep);
    window.addEventListener('drop', keep);
    return () => {
      window.removeEventListener('dragover', keep);
      window.removeEventListener('drop', keep);
    };
  }, []);
  const over = (change: number) => {
    depth.current = change === 0 ? 0 : Math.max(0, depth.current + change);
    setIsOver(depth.current > 0);
  };
  const hasFiles = (event: DragEvent) => event.dataTransfer.types.includes('Files');
  return {
    isOver,
    handlers: {
      onDragEnter: (event: DragEvent) => hasFiles(event) && over(1),
      onDragLeave: (event: DragEvent) => hasFiles(event) && over(-1),
      onDrop: (event: DragEvent) => {
        if (!hasFiles(event)) return;
        event.preventDefault();
        over(0);
        const [file] = event.dataTransfer.files;
        if (file) take(file);
      },
    },
  };
}
