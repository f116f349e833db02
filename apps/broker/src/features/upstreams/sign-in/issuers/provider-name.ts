import type { ServerManifest } from '#features/catalogue/index.ts';
import { ownService } from '../../pool/own-service.ts';

/** Returns the name shown to users for where they sign in. The host of a demo service would tell them nothing. */
export function providerName(server: ServerManifest, address: URL): string {
  return ownService(server) ? server.manifest.name : address.host;
}
