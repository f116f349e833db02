import { lazy, Suspense } from 'react';

const Dot = lazy(async () => ({ default: (await import('#features/admin/overview/needs-dot.tsx')).NeedsDot }));

/** For the header of an administrator, who alone loads its program. */
export const needsDot = (userId: string) => (
  <Suspense>
    <Dot userId={userId} />
  </Suspense>
);
