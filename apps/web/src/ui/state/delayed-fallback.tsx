import type { ReactNode } from 'react';
import { classNames } from '../class-names.ts';

type DelayedFallbackProps = {
  label?: string;
  /**
   * Stands for a whole screen: keeps the footer below the window, so that it does not jump when the content arrives.
   */
  isScreen?: boolean | undefined;
  children: ReactNode;
};

/**
 * Placeholders that reserve their space immediately and become visible after 200 ms, so that a fast answer does not
 * flicker. Screen readers announce `label` as a status.
 */
export function DelayedFallback({ label = 'Loading…', isScreen = false, children }: DelayedFallbackProps) {
  return (
    <div role="status" className={classNames('animate-appear-late', isScreen && 'min-h-dvh')}>
      <span className="sr-only">{label}</span>
      {children}
    </div>
  );
}
