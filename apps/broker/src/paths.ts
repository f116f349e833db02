import { join } from 'node:path';
import type { ServicePrograms } from '#features/upstreams/index.ts';

const root = join(import.meta.dirname, '../../..');

/** Locations of the bundled files. */
export type Paths = {
  /** Folder with deployed/ and staged/ manifests. */
  catalogue: string;
  icons: string;
  stdioAllowlist: string;
  /** Plans and credit packages. */
  offers: string;
  /** The demo's terms, privacy and refund texts. */
  legal: string;
  services: string;
};

export const paths: Paths = {
  catalogue: join(root, 'catalogue'),
  icons: join(root, 'catalogue', 'icons'),
  stdioAllowlist: join(root, 'catalogue', 'stdio-allowlist.json'),
  offers: join(root, 'catalogue', 'offers.json'),
  legal: join(root, 'catalogue', 'legal'),
  services: join(root, 'services'),
};

/** The demo services that a manifest can name as `service:<name>`. */
export function servicePrograms({ services }: Paths): ServicePrograms {
  return Object.fromEntries(
    ['travel', 'calendar', 'notes'].map((name) => [name, join(services, name, 'src', 'main.ts')]),
  );
}
