import type { CatalogueServer } from '#features/catalogue/index.ts';
import { ownService } from '../own-service.ts';

/** What people read of the place where they sign in. A service of ours stands at a port that tells them nothing. */
export function providerName(server: CatalogueServer, address: URL): string {
  return ownService(server) ? server.manifest.name : address.host;
}
