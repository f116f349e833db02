import { Button } from '#ui/button.tsx';
import { CodeBlock } from '#ui/text/code-block.tsx';
import { CopyField } from '#ui/text/copy-field.tsx';
import { Dialog } from '#ui/overlay/dialog.tsx';
import { config } from '#web/config.ts';
import { useFrozen } from '#ui/overlay/use-frozen.ts';
import { inspectorCommand } from './token-texts.ts';

export type NewToken = { id: string; name: string; token: string };

export function NewTokenDialog({ token, onClose }: { token: NewToken | undefined; onClose: () => void }) {
  // the title stays while the dialog closes; the secret is removed immediately
  const shown = useFrozen(token, token === undefined);
  return (
    <Dialog
      urgent
      closesByFooter
      open={token !== undefined}
      onOpenChange={onClose}
      title={`Token “${shown?.name ?? ''}” is ready`}
      description="Copy it now. You won't be able to see it again."
      footer={
        <Button variant="primary" onClick={onClose}>
          Done
        </Button>
      }
    >
      {token && (
        <div className="flex flex-col gap-4">
          <CopyField label="Access token" value={token.token} primary />
          <CodeBlock label="Try it: list your tools" code={inspectorCommand(config.publicUrl, token.token)} />
        </div>
      )}
    </Dialog>
  );
}
