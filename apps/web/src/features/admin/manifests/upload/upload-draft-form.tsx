import { ApiError } from '@souk/contract/client.ts';
import { useEffect, useRef, type ComponentProps, type FormEvent } from 'react';
import { Button } from '#ui/button.tsx';
import { Field } from '#ui/form/field.tsx';
import { actionFailure } from '../failure-texts.ts';
import { manifestTemplate } from './manifest-template.ts';
import { TextWithLines } from './text-with-lines.tsx';
import { UploadFault } from './upload-fault.tsx';
import { faultyFields, type UploadDraft, type useUpload } from './use-upload.ts';

export function UploadDraftForm({ draft, work }: { draft: UploadDraft; work: ReturnType<typeof useUpload> }) {
  const form = useRef<HTMLFormElement>(null);
  const { fault, upload } = work;
  const mustType = useRef(draft.text === '' || draft.text === manifestTemplate);
  useEffect(() => {
    if (mustType.current) form.current?.querySelector('textarea')?.focus();
  }, []);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    work.send();
  };
  return (
    <form ref={form} noValidate onSubmit={submit} className="flex flex-col gap-3">
      <Field
        label={draft.fileName === null ? 'Manifest JSON' : `Preview of ${draft.fileName}`}
        hint="You can edit it here. Up to 256 KiB."
      >
        <TextWithLines
          value={draft.text}
          onChange={work.edit}
          aria-invalid={fault || upload.isError ? true : undefined}
          className="h-72"
        />
      </Field>
      {fault && <UploadFault fault={fault} />}
      {!fault && upload.isError && <UploadFault {...uploadFailure(upload.error)} />}
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={work.discard}>Discard</Button>
        <Button type="submit" variant="primary" loading={upload.isPending}>
          Upload Manifest
        </Button>
      </div>
    </form>
  );
}

/** Describes a failed upload. A syntax error has its own text (spec part 2, section 5), with the place beside it. */
function uploadFailure(error: unknown): ComponentProps<typeof UploadFault> {
  if (error instanceof ApiError && error.code === 'invalid_json') {
    const [issue] = error.issues;
    return { fault: { text: error.message, detail: issue && `It ${issue.message}.` } };
  }
  const fields = faultyFields(error);
  return { fault: { text: withoutFields(actionFailure('upload', error), fields) }, fields };
}

/** Removes the fields from the message, since the list below has them. */
function withoutFields(text: string, [first]: ReturnType<typeof faultyFields>): string {
  const at = first === undefined ? -1 : text.indexOf(`${first.path} ${first.message}`.trim());
  return at === -1 ? text : text.slice(0, at).trimEnd();
}
