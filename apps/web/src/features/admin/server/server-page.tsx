import type { AdminPartProps } from '../admin-screen.tsx';

/** The page of one server, in the place of the list of manifests. */
export function ServerPage(_props: AdminPartProps & { serverId: string }) {
  return null;
}
