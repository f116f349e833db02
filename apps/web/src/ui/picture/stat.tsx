import type { ReactNode } from 'react';

/** One figure with its name, for a <dl>. */
export function Stat({ label, value, hint }: { label: string; value: ReactNode; hint?: ReactNode }) {
  return (
    <div className="flex min-w-0 flex-col gap-0.5">
      <dt className="text-[0.8125rem] text-quiet">{label}</dt>
      <dd className="text-xl/7 font-semibold tracking-tight tabular-nums">{value}</dd>
      {hint && <dd className="text-xs text-faint">{hint}</dd>}
    </div>
  );
}
