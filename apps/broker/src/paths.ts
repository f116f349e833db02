import { join } from 'node:path';
import type { ServicePrograms } from '#features/connections/index.ts';

const root = join(import.meta.dirname, '../../..');

/** Where the files that come with the product stand. */
export type Paths = {
  /** Folder with deployed/ and staged/ manifests. */
  catalogue: string;
  stdioAllowlist: string;
  services: string;
};

export const paths: Paths = {
  catalogue: join(root, 'catalogue'),
  stdioAllowlist: join(root, 'catalogue', 'stdio-allowlist.json'),
  services: join(root, 'services'),
};

/** The demo services that `service:<name>` in a manifest may mean. */
export function servicePrograms({ services }: Paths): ServicePrograms {
  return Object.fromEntries(
    ['travel', 'calendar', 'notes'].map((name) => [name, join(services, name, 'src', 'main.ts')]),
  );
}
