import { Button } from '#ui/button.tsx';
import { Notice } from '#ui/state/notice.tsx';

/** A failed sign-in. If the browser blocked its window, a button continues in this tab. */
export function SignInProblem({ text, onContinue }: { text: string; onContinue?: (() => void) | undefined }) {
  return (
    <Notice
      tone="bad"
      action={
        onContinue && (
          <Button size="small" className="-my-1" onClick={onContinue}>
            Continue in this tab
          </Button>
        )
      }
    >
      {text}
    </Notice>
  );
}
