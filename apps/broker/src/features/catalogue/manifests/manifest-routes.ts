import {
  createManifest,
  deleteManifest,
  deployManifest,
  getManifest,
  listManifests,
  undeployManifest,
  updateManifest,
} from '@souk/contract/admin/manifests.ts';
import type { Answer } from '@souk/contract/endpoint.ts';
import type { Manifest } from '@souk/contract/manifest/manifest.ts';
import type { Database, Query } from '#platform/db/database.ts';
import { SoukError } from '#platform/errors.ts';
import type { Caller } from '#platform/http/caller.ts';
import type { Router } from '#platform/http/router.ts';
import { waitForDiscovery } from '../health/wait-for-discovery.ts';
import { manageManifests, type ManifestWatch } from './manage-manifests.ts';
import { noManifest, type ManifestActor } from './manifest-versions.ts';
import { listManifests as readList } from './list-manifests.ts';
import { presentOne, readManifest, type ManifestFacts } from './read-manifest.ts';
import type { ManifestPolicy } from './parse-manifest.ts';
import { readUpload } from './read-upload.ts';
import { sharedFolderNotes } from './shared-folder.ts';
import type { CatalogueTables } from '../tables.ts';

/** Ends rentals when their server is deleted, and refunds the unused time. */
type RefundedRentals = {
  /**
   * Ends the rentals in the transaction of the deletion. The refunds are stored with it, and are made even if this
   * broker crashes.
   */
  end(
    query: Query,
    serverId: string,
    rentalIds: readonly string[],
    by: { actorId: string; reason: string | undefined },
  ): Promise<void>;
  /** Makes the refunds, as far as the provider answers. A repeated call refunds nothing twice. */
  pay(serverId: string, rentalIds: readonly string[]): Promise<Answer<typeof deleteManifest>['refunds']>;
};

type ManifestRouteParts = ManifestFacts & {
  policy: ManifestPolicy;
  db: Pick<Database, 'kysely'>;
  watch: ManifestWatch;
  /**
   * Creates or updates a manifest's rental at the payment provider.
   * @returns undefined when nothing has changed, or the provider does not answer: the deployment repeats it
   */
  putRental(manifest: Manifest): Promise<{ productId: string; priceId: string } | undefined>;
  refundedRentals: RefundedRentals;
  /** Called before a refund. @throws SoukError sign_in_again */
  requireRecentSignIn(caller: Caller): void;
};

/** Mounts the administrators' calls on manifests (specification part 2, section 7). */
export function mountManifestRoutes(router: Router, parts: ManifestRouteParts): void {
  const { catalogue, policy, watch } = parts;
  const manifests = manageManifests(parts);
  const success = { success: true as const };
  const byOf = (
    { userId }: { userId: string },
    decision: Pick<ManifestActor, 'reason' | 'expected'> = {},
  ): ManifestActor => ({
    actorId: userId,
    via: 'administration',
    ...decision,
  });

  function notesOf(manifest: Manifest): { notes?: string[] } {
    const notes = [...catalogue.priceWarnings(manifest), ...sharedFolderNotes(manifest, policy)];
    return notes.length > 0 ? { notes } : {};
  }

  async function stage(bytes: Uint8Array, by: ManifestActor, only?: string) {
    const manifest = readUpload(bytes, policy);
    if (only !== undefined && manifest.id !== only) {
      const message = `must be ${only}, as in the address`;
      throw new SoukError('invalid_request', { message: `id: ${message}`, issues: [{ path: 'id', message }] });
    }
    const { result, revision } = await catalogue.upload(manifest, by, only);
    const stripeResult = result === 'staged' ? await parts.putRental(manifest) : undefined;
    const { id, version } = manifest;
    return {
      ...success,
      id,
      version,
      result,
      revision,
      ...(stripeResult && { stripeResult }),
      ...notesOf(manifest),
    };
  }

  router.route(listManifests, async ({ query }) => {
    const db = parts.db.kysely.withTables<CatalogueTables>();
    return {
      ...success,
      ...(await readList({ db, snapshot: catalogue.snapshot(), rentersOf: parts.rentersOf }, query)),
    };
  });

  router.route(getManifest, async ({ params, query }) => ({
    ...success,
    ...(await readManifest(parts, params.id, query.version)),
  }));

  router.route(createManifest, ({ caller, query, body, ifMatch: expected }) =>
    stage(body, byOf(caller, { reason: query.reason, expected })),
  );

  router.route(updateManifest, ({ caller, params, query, body, ifMatch: expected }) =>
    stage(body, byOf(caller, { reason: query.reason, expected }), params.id),
  );

  router.route(deleteManifest, async ({ caller, params, body, ifMatch: expected }) => {
    const by = byOf(caller, { reason: body.reason, expected });
    const { refundRentals: rentalIds = [], reason } = body;
    if (rentalIds.length > 0) parts.requireRecentSignIn(caller);
    const { end, pay } = parts.refundedRentals;
    const { renters } = await catalogue.deleteManifest(params.id, by, async (query) => {
      if (rentalIds.length > 0) await end(query, params.id, rentalIds, { actorId: caller.userId, reason });
    });
    const refunds = rentalIds.length > 0 ? await pay(params.id, rentalIds) : [];
    return { ...success, id: params.id, renters, refunds };
  });

  router.route(undeployManifest, async ({ caller, params, body, ifMatch: expected }) => ({
    ...success,
    id: params.id,
    ...(await catalogue.undeploy(params.id, byOf(caller, { reason: body.reason, expected }))),
  }));

  router.route(deployManifest, async ({ caller, params, body, ifMatch: expected }) => {
    const { id } = params;
    const by = byOf(caller, { reason: body.reason, expected });
    const { version, result, revision } = await manifests.deploy(id, body.version, by);
    const failure = await waitForDiscovery(watch, id);
    const manifest = await presentOne(parts, await catalogue.versions(id));
    if (!manifest) throw noManifest(id);
    const live = catalogue.snapshot().byId.get(id);
    return {
      ...success,
      id,
      version,
      result,
      manifest,
      revision,
      ...(failure === undefined ? live && notesOf(live.manifest) : { failure }),
    };
  });
}
