import { Suspense } from 'react';
import { lazyPart } from '#ui/lazy-part.ts';

const Dot = lazyPart(() => import('#features/admin/overview/needs-dot.tsx'), 'NeedsDot');

/** For the header of an administrator, who alone loads its program. */
export const needsDot = (userId: string) => (
  <Suspense>
    <Dot userId={userId} />
  </Suspense>
);
