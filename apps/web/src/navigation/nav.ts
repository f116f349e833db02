import type { NavItem } from '#features/identity/header.tsx';
import { sells } from '../config.ts';

/** The header's links in the specification's order (part 1, section 2). Plans are left out if nothing is sold. */
export const nav: readonly NavItem[] = [
  { label: 'Marketplace', to: '/marketplace' },
  { label: 'About', to: '/about' },
  ...(sells ? [{ label: 'Plans', to: '/plans' } as const] : []),
  { label: 'Contact', to: '/contact' },
];
export const memberNav: readonly NavItem[] = [...nav, { label: 'Dashboard', to: '/dashboard' }];
