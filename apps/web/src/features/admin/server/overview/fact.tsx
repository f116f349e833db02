import type { ReactNode } from 'react';

export function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="text-[0.8125rem] text-quiet">{name}</dt>
      <dd className="font-medium">{children}</dd>
    </div>
  );
}
