import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { Button } from '#ui/button.tsx';
import { ListSkeleton } from '#ui/state/list-skeleton.tsx';
import { Notice } from '#ui/state/notice.tsx';
import type { EditorCheck, EditorHandle } from '../editor/manifest-editor.tsx';
import { Section } from '../../section.tsx';
import { useDialogText } from '../../use-dialog-text.ts';
import type { ServerPartProps } from '../server-queries.ts';
import { ManifestConflict } from './manifest-conflict.tsx';
import { ProblemList } from './problem-list.tsx';
import { SaveBar } from './save-bar.tsx';
import { useManifestDraft } from './use-manifest-draft.ts';
import { useSaveManifest } from './use-save-manifest.ts';

const ManifestEditor = lazy(async () => ({
  default: (await import('../editor/manifest-editor.tsx')).ManifestEditor,
}));

/** Edits a manifest as JSON. Saving stages it. */
export function ManifestPart({
  name,
  onUnsavedChange,
  onTest,
  ...part
}: ServerPartProps & {
  name: string;
  onUnsavedChange: (isUnsaved: boolean) => void;
  onTest: (text: string) => void;
}) {
  const { userId, serverId, shown } = part;
  const editor = useRef<EditorHandle>(null);
  const stored = textOf(shown.manifest);
  const draft = useManifestDraft(part, stored, editor, onUnsavedChange);
  const { restored, base, isUnsaved, isStale } = draft;
  const [check, setCheck] = useState<EditorCheck>();
  // kept like the text when the administrator leaves this part
  const [reason, setReason] = useDialogText({ adminId: userId, dialog: `save.${serverId}`, open: true }, 'reason', '');
  const save = useSaveManifest(userId, serverId, (text, revision) => {
    draft.onSaved(text, revision);
    setReason('');
  });

  // another administrator saved or deployed, and there are no unsaved edits
  const takesStored = isStale && !isUnsaved && !save.isPending;
  useEffect(() => {
    if (takesStored) draft.followStored();
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- `draft` is new at each render
  }, [takesStored, stored, shown.revision]);

  const submit = () => {
    const text = editor.current?.text();
    if (text !== undefined && !save.isPending) save.mutate({ text, reason, revision: base.revision });
  };

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
      {restored && isUnsaved && <Notice>Your unsaved text of {name} was restored.</Notice>}
      {isUnsaved && isStale && !save.isPending && (
        <ManifestConflict
          shown={shown}
          stored={stored}
          own={() => editor.current?.text() ?? restored?.text ?? ''}
          onKeepOwn={() => {
            draft.keepOwn();
            save.reset();
          }}
          onTakeStored={() => {
            draft.takeStored();
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
          initialText={restored?.text ?? base.text}
          refused={save.refused}
          onEdit={draft.onEdit}
          onChecked={setCheck}
          onSave={submit}
        />
      </Suspense>
      {check && <ProblemList check={check} onGoTo={(problem) => editor.current?.goTo(problem)} />}
      {isUnsaved && check?.version !== undefined && (
        <TakenVersion
          shown={shown}
          version={check.version}
          onReplace={(version) => editor.current?.replaceVersion(version)}
        />
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

/** Warns if a version exists already, and offers the next one. */
function TakenVersion({
  shown: { versions, nextVersion, listed },
  version,
  onReplace,
}: Pick<ServerPartProps, 'shown'> & { version: string; onReplace: (version: string) => void }) {
  if (!versions.some((one) => one.version === version)) return null;
  return (
    <Notice
      action={
        <Button size="small" onClick={() => onReplace(nextVersion)}>
          Use {nextVersion}
        </Button>
      }
    >
      Version {version} {version === listed?.deployedVersion ? 'is deployed' : 'already exists'}. A change needs a new
      version.
    </Notice>
  );
}

const textOf = (manifest: Readonly<Record<string, unknown>>) => `${JSON.stringify(manifest, null, 2)}\n`;

function versionShown({ manifest, listed }: ServerPartProps['shown']): string {
  const version = typeof manifest['version'] === 'string' ? manifest['version'] : '';
  if (version === listed?.stagedVersion) return `${version}, staged`;
  return version === listed?.deployedVersion ? `${version}, deployed` : version;
}
