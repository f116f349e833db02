import type { ReactNode } from 'react';

/**
 * Placeholders that keep their place at once and become visible after 200 ms, so that a fast answer does not flicker.
 * Screen readers hear `label` as a status.
 */
export function DelayedFallback({ label = 'Loading…', children }: { label?: string; children: ReactNode }) {
  return (
    <div role="status" className="animate-appear-late">
      <span className="sr-only">{label}</span>
      {children}
    </div>
  );
}
