import Check from 'lucide-react/icons/check';
import Copy from 'lucide-react/icons/copy';
import type { ButtonLook } from '../button-look.ts';
import { Button } from '../button.tsx';
import { useCopy } from './copy-text.ts';

export type CopyButtonProps = ButtonLook & {
  text: string;
  /** The accessible name, if "Copy" alone does not say what is copied. */
  name?: string | undefined;
};

/**
 * Copies a text and says so, visibly and to screen readers. The tick has the color of the label, which contrasts with
 * any button.
 */
export function CopyButton({ text, name, ...look }: CopyButtonProps) {
  const { state, copy } = useCopy();
  return (
    <>
      <Button
        {...look}
        aria-label={state === 'copied' ? undefined : name}
        onClick={() => copy(text)}
        icon={state === 'copied' ? <Check aria-hidden size={15} /> : <Copy aria-hidden size={15} />}
      >
        {state === 'idle' ? 'Copy' : state === 'copied' ? 'Copied' : 'Not copied'}
      </Button>
      <span role="status" className="sr-only">
        {state === 'copied' && 'Copied to the clipboard'}
        {state === 'failed' && 'Copying failed: select the text and copy it'}
      </span>
    </>
  );
}
