import CircleAlert from 'lucide-react/icons/circle-alert';
import RotateCw from 'lucide-react/icons/rotate-cw';
import type { ReactNode } from 'react';
import { Button } from '../button.tsx';

export type ErrorStateProps = {
  title: string;
  text?: ReactNode;
  onRetry?: (() => void) | undefined;
  retrying?: boolean | undefined;
  retryLabel?: string | undefined;
  /** Further buttons next to Retry. */
  actions?: ReactNode;
};

/** An error in place of content, announced immediately, with ways to continue. */
export function ErrorState({ title, text, onRetry, retrying, retryLabel = 'Retry', actions }: ErrorStateProps) {
  return (
    <div className="flex flex-col items-center gap-2 rounded-lg border border-line bg-surface px-6 py-12 text-center">
      <CircleAlert aria-hidden size={28} className="mb-1 text-bad" />
      <div role="alert" className="flex flex-col gap-2">
        <h2 className="text-base font-semibold">{title}</h2>
        {text && <div className="max-w-prose text-quiet">{text}</div>}
      </div>
      {(onRetry ?? actions) && (
        <div className="mt-3 flex flex-wrap justify-center gap-2">
          {onRetry && (
            <Button onClick={onRetry} loading={retrying} icon={<RotateCw aria-hidden size={16} />}>
              {retryLabel}
            </Button>
          )}
          {actions}
        </div>
      )}
    </div>
  );
}
