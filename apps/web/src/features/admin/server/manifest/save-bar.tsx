import { Button } from '#ui/button.tsx';
import { Notice } from '#ui/state/notice.tsx';
import { ReasonField } from '../../users/actions/reason-field.tsx';

export function SaveBar(props: {
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
        props.onSave();
      }}
    >
      {props.failure !== undefined && <Notice tone="bad">{props.failure}</Notice>}
      <div className="flex flex-wrap items-center gap-3">
        <div className="min-w-0 flex-1 basis-64">
          <ReasonField label="Reason for the change" value={props.reason} onChange={props.onReasonChange} />
        </div>
        <div className="flex gap-2">
          {props.isUnsaved && <Button onClick={props.onDiscard}>Discard changes</Button>}
          <Button type="submit" variant="primary" loading={props.isSaving} aria-keyshortcuts="Control+S Meta+S">
            Save to staging
          </Button>
        </div>
      </div>
    </form>
  );
}
