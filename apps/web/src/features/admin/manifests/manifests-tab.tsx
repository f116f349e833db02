import type { AdminPartProps } from '../admin-screen.tsx';

/** 'Broker Manifests': every manifest, and what is done with all of them (spec part 2, section 2). */
export function ManifestsTab(_props: AdminPartProps) {
  return null;
}
