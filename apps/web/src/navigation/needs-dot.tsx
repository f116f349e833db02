import { Suspense } from 'react';
import { lazyPart } from '#ui/lazy-part.ts';

const Dot = lazyPart(() => import('#features/admin/overview/needs-dot.tsx'), 'NeedsDot');

/** Renders the dot in an administrator's header. Only administrators load its code. */
export const needsDot = (userId: string) => (
  <Suspense>
    <Dot userId={userId} />
  </Suspense>
);
