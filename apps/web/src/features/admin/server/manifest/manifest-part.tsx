import { lazy, Suspense, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { Button } from '#ui/button.tsx';
import { ListSkeleton } from '#ui/state/list-skeleton.tsx';
import { Notice } from '#ui/state/notice.tsx';
import type { EditorCheck, EditorHandle } from '../editor/manifest-editor.tsx';
import { Section } from '../../section.tsx';
import { useDialogText } from '../../use-dialog-text.ts';
import type { ServerPartProps } from '../server-queries.ts';
import { MovedManifest } from './moved-manifest.tsx';
import { ProblemList } from './problem-list.tsx';
import { SaveBar } from './save-bar.tsx';
import { keepUnsavedText, readUnsavedText } from './unsaved-text.ts';
import { useSaveManifest } from './use-save-manifest.ts';

const ManifestEditor = lazy(async () => ({
  default: (await import('../editor/manifest-editor.tsx')).ManifestEditor,
}));

/** A text rests this long before it is kept in the tab. */
const keepAfterMs = 400;

/** The manifest as JSON, in an editor. What is saved is staged: the shop shows it once it is deployed. */
export function ManifestPart({
  userId,
  serverId,
  shown,
  name,
  onUnsavedChange,
  onTest,
}: ServerPartProps & {
  name: string;
  onUnsavedChange: (isUnsaved: boolean) => void;
  /** Tests the connection of the text as it is now. */
  onTest: (text: string) => void;
}) {
  const editor = useRef<EditorHandle>(null);
  const stored = textOf(shown.manifest);
  const [began] = useState(() => readUnsavedText(userId, serverId));
  /** The stored manifest that the text in the editor began from. */
  const [base, setBase] = useState({ text: stored, revision: began?.revision ?? shown.revision });
  const [isUnsaved, setIsUnsaved] = useState(began !== undefined);
  const [check, setCheck] = useState<EditorCheck>();
  // the text stays when the part is left, and so does what is written of it
  const [reason, setReason] = useDialogText({ adminId: userId, dialog: `save.${serverId}`, open: true }, 'reason', '');
  const tellUnsaved = (next: boolean) => {
    setIsUnsaved(next);
    onUnsavedChange(next);
  };
  const timer = useRef<number>(undefined);
  const save = useSaveManifest(userId, serverId, (text, revision) => {
    const now = editor.current?.text() ?? text;
    // what was typed just before the click is no draft any more
    window.clearTimeout(timer.current);
    timer.current = undefined;
    setBase({ text, revision });
    setReason('');
    keepUnsavedText(userId, serverId, now === text ? undefined : { text: now, revision });
    tellUnsaved(now !== text);
  });

  const keep = () => {
    window.clearTimeout(timer.current);
    timer.current = undefined;
    const text = editor.current?.text();
    if (text === undefined) return;
    const differs = text !== base.text;
    keepUnsavedText(userId, serverId, differs ? { text, revision: base.revision } : undefined);
    tellUnsaved(differs);
  };
  const onEdit = () => {
    if (!isUnsaved) tellUnsaved(true);
    window.clearTimeout(timer.current);
    // compared with what is stored when the text rests: a save or another administrator may have changed it since
    timer.current = window.setTimeout(() => keepLatest.current(), keepAfterMs);
  };
  // what was typed in the last moment before the part is left, the sign-in lapses or the page is loaded again
  const keepLatest = useRef(keep);
  keepLatest.current = keep;
  useLayoutEffect(() => {
    const keepNow = () => {
      if (timer.current !== undefined) keepLatest.current();
    };
    window.addEventListener('pagehide', keepNow);
    return () => {
      window.removeEventListener('pagehide', keepNow);
      keepNow();
    };
  }, []);

  // another administrator saved or deployed, and there is nothing here to lose
  const hasMoved = shown.revision !== base.revision;
  const takesStored = hasMoved && !isUnsaved && !save.isPending;
  useEffect(() => {
    if (!takesStored) return;
    setBase({ text: stored, revision: shown.revision });
    if (editor.current?.text() !== stored) editor.current?.replaceText(stored);
  }, [takesStored, stored, shown.revision]);

  const submit = () => {
    const text = editor.current?.text();
    if (text !== undefined && !save.isPending) save.mutate({ text, reason, revision: base.revision });
  };

  const { versions, nextVersion, listed } = shown;
  const taken = isUnsaved ? versions.find(({ version }) => version === check?.version) : undefined;
  return (
    <Section
      id="server-manifest"
      gap="gap-4"
      title={`Manifest ${versionShown(shown)}`}
      text="Saving stages a new version. People see it once you deploy it."
      actions={
        <Button size="small" onClick={() => onTest(editor.current?.text() ?? base.text)}>
          Test this text
        </Button>
      }
    >
      {began && isUnsaved && <Notice>Your unsaved text of {name} is back.</Notice>}
      {isUnsaved && hasMoved && !save.isPending && (
        <MovedManifest
          shown={shown}
          stored={stored}
          own={() => editor.current?.text() ?? began?.text ?? ''}
          onKeepOwn={() => {
            setBase({ text: stored, revision: shown.revision });
            keepUnsavedText(userId, serverId, { text: editor.current?.text() ?? '', revision: shown.revision });
            save.reset();
          }}
          onTakeStored={() => {
            setBase({ text: stored, revision: shown.revision });
            editor.current?.replaceText(stored);
            save.reset();
          }}
        />
      )}
      <p className="text-quiet md:hidden">Editing JSON is easier on a wider screen.</p>
      <Suspense fallback={<ListSkeleton label="Loading the editor…" />}>
        <ManifestEditor
          ref={editor}
          serverId={serverId}
          serverName={name}
          initialText={began?.text ?? base.text}
          refused={save.refused}
          onEdit={onEdit}
          onChecked={setCheck}
          onSave={submit}
        />
      </Suspense>
      {check && <ProblemList check={check} onGoTo={(problem) => editor.current?.goTo(problem)} />}
      {taken && (
        <Notice
          action={
            <Button size="small" onClick={() => editor.current?.replaceVersion(nextVersion)}>
              Use {nextVersion}
            </Button>
          }
        >
          Version {taken.version} {taken.version === listed?.deployedVersion ? 'is deployed' : 'exists already'}. A
          change needs a new version.
        </Notice>
      )}
      <SaveBar
        reason={reason}
        onReasonChange={setReason}
        isUnsaved={isUnsaved}
        isSaving={save.isPending}
        failure={save.failure}
        onSave={submit}
        onDiscard={() => {
          editor.current?.replaceText(base.text);
          save.reset();
        }}
      />
    </Section>
  );
}

const textOf = (manifest: Readonly<Record<string, unknown>>) => `${JSON.stringify(manifest, null, 2)}\n`;

function versionShown({ manifest, listed }: ServerPartProps['shown']): string {
  const version = typeof manifest['version'] === 'string' ? manifest['version'] : '';
  if (version === listed?.stagedVersion) return `${version}, staged`;
  return version === listed?.deployedVersion ? `${version}, deployed` : version;
}
