import type { Catalogue, CatalogueServer } from '#features/catalogue/index.ts';
import { findPair } from './find-pair.ts';
import { placeOf } from './issuer-place.ts';
import { isAllowed } from './known-issuer.ts';
import type { SignInParts } from '../sign-in-parts.ts';

/** Deadline of all requests to one server. Only a stop of the broker waits for them. */
const deadlineMs = 5_000;

/**
 * Asks each newly deployed server where its users sign in, so that an administrator can confirm it before a user is refused.
 * Servers are asked sequentially, since many may be deployed together.
 */
export function checkNewIssuers(catalogue: Pick<Catalogue, 'onChange'>, parts: SignInParts): { stop(): Promise<void> } {
  let checking: Promise<void> = Promise.resolve();
  let isStopped = false;

  const isLive = ({ id, deployedAtMs }: CatalogueServer) =>
    !isStopped && parts.catalogue.snapshot().byId.get(id)?.deployedAtMs === deployedAtMs;

  async function check(server: CatalogueServer): Promise<void> {
    if (!isLive(server)) return;
    const found = await findPair(server, parts, deadlineMs);
    if (!found.pair || !isLive(server)) return;
    const place = placeOf(found.pair);
    if (isAllowed(found)) await parts.issuers.recordAllowed(server.id, place);
    else await parts.issuers.recordRefused(server.id, place);
  }

  const stopFollowing = catalogue.onChange((_snapshot, changed, before) => {
    const deployedAt = new Map(before.map(({ id, deployedAtMs }) => [id, deployedAtMs]));
    for (const server of changed) {
      if (server.manifest.auth.type !== 'oauth' || deployedAt.get(server.id) === server.deployedAtMs) continue;
      checking = checking
        .then(() => check(server))
        .catch((error: unknown) => {
          parts.log.warn({ err: error, server: server.id }, 'where users of a new server sign in could not be stored');
        });
    }
  });
  return {
    async stop() {
      isStopped = true;
      stopFollowing();
      await checking;
    },
  };
}
