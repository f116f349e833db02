import type { ServerManifest } from '#features/catalogue/index.ts';
import { ownService } from '../../pool/own-service.ts';

/**
 * Returns the name of the place where users sign in: its host, or the server's name for a demo service, whose host
 * means nothing to users.
 */
export function providerName(server: ServerManifest, address: URL): string {
  return ownService(server) ? server.manifest.name : address.host;
}
