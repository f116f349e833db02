import { useState } from 'react';
import { Button } from '#ui/button.tsx';
import { CodeBlock } from '#ui/code-block.tsx';
import { CopyField } from '#ui/copy-field.tsx';
import { Dialog } from '#ui/dialog.tsx';
import { config } from '#web/config.ts';
import { inspectorCommand } from './token-texts.ts';

export type NewToken = { id: string; name: string; token: string };

/** The one time that a token is shown. */
export function NewTokenDialog({ token, onClose }: { token: NewToken | undefined; onClose: () => void }) {
  // the words stay while the dialog closes; the secret goes with it
  const [shown, setShown] = useState(token);
  if (token && token !== shown) setShown(token);
  return (
    <Dialog
      urgent
      open={token !== undefined}
      onOpenChange={onClose}
      title={`Token “${shown?.name ?? ''}” is ready`}
      description="Copy it now: it is shown this once, and nobody can look it up later."
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
