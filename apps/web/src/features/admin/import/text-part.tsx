import { readUtf8 } from '@souk/contract/manifest/read-utf8.ts';
import { useState, type FormEvent } from 'react';
import { Button } from '#ui/button.tsx';
import { Field } from '#ui/form/field.tsx';
import { Notice } from '#ui/state/notice.tsx';
import { failureText } from '#web/texts/failure-text.ts';
import { adminApi } from '../admin-api.ts';
import { FileButton } from '../file-button.tsx';
import { TextWithLines } from '../manifests/upload/text-with-lines.tsx';
import { useSingleMutation } from '../use-single-mutation.ts';
import { Preview } from './preview.tsx';

const maxBytes = 1024 * 1024;
const tooLarge = 'The text is larger than 1 MiB. Paste only the part that names the servers.';

/** Imports a pasted or uploaded configuration. It may contain secrets, so the browser stores no copy. */
export function TextPart({ userId }: { userId: string }) {
  const [text, setText] = useState('');
  const [fault, setFault] = useState<string>();
  const preview = useSingleMutation({ mutationFn: (sent: string) => adminApi.previewImport({ body: { text: sent } }) });

  function ask(sent: string): void {
    const found =
      sent.trim() === ''
        ? 'Paste a configuration, or choose a file.'
        : new TextEncoder().encode(sent).length > maxBytes
          ? tooLarge
          : undefined;
    setFault(found);
    preview.reset();
    if (found === undefined) preview.mutate(sent);
  }

  async function choose(file: File): Promise<void> {
    if (file.size > maxBytes) {
      setFault(tooLarge);
      return;
    }
    const { text: read, fault: unreadable } = readUtf8(new Uint8Array(await file.arrayBuffer()));
    if (read === undefined) {
      setFault(`${file.name} ${unreadable}.`);
      return;
    }
    setText(read);
    ask(read);
  }

  const submit = (event: FormEvent) => {
    event.preventDefault();
    ask(text);
  };
  return (
    <div className="flex flex-col gap-6">
      <form noValidate onSubmit={submit} className="flex flex-col gap-3">
        <Field
          label="Configuration"
          hint="mcpServers (Claude, Cursor, Windsurf, Gemini, Cline), VS Code, Zed, opencode, Codex, a registry's server.json, or manifests. Up to 1 MiB. Secrets in it aren't stored."
          error={fault}
        >
          <TextWithLines
            value={text}
            onChange={(next) => {
              setText(next);
              setFault(undefined);
              preview.reset();
            }}
            className="h-64"
          />
        </Field>
        <div className="flex flex-wrap justify-end gap-2">
          <FileButton
            label="Configuration file"
            accept=".json,.jsonc,.toml,application/json"
            onChoose={(file) => void choose(file)}
          >
            Choose a file
          </FileButton>
          <Button type="submit" variant="primary" loading={preview.isPending}>
            Preview
          </Button>
        </div>
      </form>
      {preview.isError && <Notice tone="bad">{failureText(preview.error)}</Notice>}
      {preview.data && <Preview key={preview.submittedAt} userId={userId} entries={preview.data.entries} />}
    </div>
  );
}
