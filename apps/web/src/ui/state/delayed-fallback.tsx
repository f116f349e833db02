import type { ReactNode } from 'react';
import { classNames } from '../class-names.ts';

type DelayedFallbackProps = {
  label?: string;
  /** It stands for a whole screen: the footer is kept below the window, so that it does not jump there when the content comes. */
  isScreen?: boolean | undefined;
  children: ReactNode;
};

/**
 * Placeholders that keep their place at once and become visible after 200 ms, so that a fast answer does not flicker.
 * Screen readers hear `label` as a status.
 */
export function DelayedFallback({ label = 'Loading…', isScreen = false, children }: DelayedFallbackProps) {
  return (
    <div role="status" className={classNames('animate-appear-late', isScreen && 'min-h-dvh')}>
      <span className="sr-only">{label}</span>
      {children}
    </div>
  );
}
