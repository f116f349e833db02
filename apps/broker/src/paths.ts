import { join } from 'node:path';
import type { ServicePrograms } from '#features/upstreams/index.ts';

const root = join(import.meta.dirname, '../../..');

/** The locations of the bundled files. */
export type Paths = {
  /** Folder with deployed/ and staged/ manifests. */
  catalogue: string;
  /** Of the bundled services. */
  icons: string;
  stdioAllowlist: string;
  /** The plans and credit packages that are sold. */
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
