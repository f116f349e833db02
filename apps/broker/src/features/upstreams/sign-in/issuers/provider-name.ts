import type { ServerManifest } from '#features/catalogue/index.ts';
import { ownService } from '../../pool/own-service.ts';

/** The name that people read for the place where they sign in. The host of a demo service would tell them nothing. */
export function providerName(server: ServerManifest, address: URL): string {
  return ownService(server) ? server.manifest.name : address.host;
}
