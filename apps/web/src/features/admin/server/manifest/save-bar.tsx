import { Button } from '#ui/button.tsx';
import { Field } from '#ui/field.tsx';
import { Input } from '#ui/input.tsx';
import { Notice } from '#ui/notice.tsx';

/** Saves the text of an editor, with the reason, or takes it back to what is stored. */
export function SaveBar({
  reason,
  onReasonChange,
  isUnsaved,
  isSaving,
  failure,
  onSave,
  onDiscard,
}: {
  reason: string;
  onReasonChange: (reason: string) => void;
  isUnsaved: boolean;
  isSaving: boolean;
  failure: string | undefined;
  onSave: () => void;
  onDiscard: () => void;
}) {
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        onSave();
      }}
    >
      {failure !== undefined && <Notice tone="bad">{failure}</Notice>}
      <div className="flex flex-wrap items-end gap-3">
        <div className="min-w-0 flex-1 basis-64">
          <Field label="Reason for the change">
            <Input
              value={reason}
              maxLength={500}
              autoComplete="off"
              placeholder="Optional. It is kept in the audit log."
              onChange={(event) => onReasonChange(event.target.value)}
            />
          </Field>
        </div>
        <div className="flex gap-2">
          {isUnsaved && <Button onClick={onDiscard}>Discard changes</Button>}
          <Button type="submit" variant="primary" loading={isSaving} aria-keyshortcuts="Control+S Meta+S">
            Save to staging
          </Button>
        </div>
      </div>
    </form>
  );
}
