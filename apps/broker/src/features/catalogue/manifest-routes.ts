import {
  createManifest,
  deleteManifest,
  deployAllManifests,
  deployManifest,
  getManifest,
  listManifests,
  reloadManifests,
  updateManifest,
} from '@souk/contract/admin-manifests.ts';
import type { Answer } from '@souk/contract/endpoint.ts';
import type { Manifest } from '@souk/contract/manifest.ts';
import { writeAudit } from '#platform/audit/audit-log.ts';
import type { Clock } from '#platform/clock.ts';
import type { Database } from '#platform/db/database.ts';
import { SoukError } from '#platform/errors.ts';
import type { Caller } from '#platform/http/caller.ts';
import type { Router } from '#platform/http/router.ts';
import { manageManifests, type ManifestWatch } from './manage-manifests.ts';
import { noManifest, type DecidedBy } from './manifest-versions.ts';
import { listManifests as readList } from './manifests/list-manifests.ts';
import { presentOne, readManifest, type ManifestFacts } from './manifests/read-manifest.ts';
import type { ManifestPolicy } from './parse-manifest.ts';
import { readUpload } from './read-upload.ts';
import type { CatalogueTables } from './tables.ts';

/** How long an administrator waits for servers to be asked; what takes longer goes on. */
const patienceMs = 10_000;

type RefundRentals = (
  serverId: string,
  rentalIds: readonly string[],
  by: { actorId: string; reason: string | undefined },
) => Promise<Answer<typeof deleteManifest>['refunds']>;

type Given = ManifestFacts & {
  policy: ManifestPolicy;
  db: Pick<Database, 'kysely'>;
  watch: ManifestWatch;
  /** Connections to a server take no new call, and end when no call is under way. */
  reconnect(serverId: string): void;
  /**
   * Tells the payment provider of the rental of a manifest, where it is new or has another price.
   * @returns undefined where nothing had to be told, or the provider does not answer: it is told again with the deployment
   */
  putRental(manifest: Manifest): Promise<{ productId: string; priceId: string } | undefined>;
  /** Ends rentals of a server now, and pays back what was paid for the time that is left. Asked again, it pays nothing twice. */
  refundRentals: RefundRentals;
  /** Before money moves. @throws SoukError sign_in_again */
  requireRecentSignIn(caller: Caller): void;
  clock: Clock;
};

/** The administrators' calls on manifests (specification part 2, section 7). */
export function mountManifestRoutes(router: Router, given: Given): void {
  const { catalogue, policy, watch } = given;
  const manifests = manageManifests(given);
  const success = { success: true as const };
  const byOf = ({ userId }: { userId: string }, given: Pick<DecidedBy, 'reason' | 'expected'> = {}): DecidedBy => ({
    actorId: userId,
    via: 'administration',
    ...given,
  });

  /** Why a server did not answer; undefined when it did. */
  async function failureOf(id: string): Promise<string | undefined> {
    const late = Promise.withResolvers<string>();
    const timer = setTimeout(
      () => late.resolve('The server has not answered yet: it is still being asked.'),
      patienceMs,
    );
    try {
      return await Promise.race([watch.asked(id), late.promise]);
    } finally {
      clearTimeout(timer);
    }
  }

  async function stage(bytes: Uint8Array, by: DecidedBy, only?: string) {
    const manifest = readUpload(bytes, policy);
    if (only !== undefined && manifest.id !== only) {
      const message = `must be ${only}, as in the address`;
      throw new SoukError('invalid_request', { message: `id: ${message}`, issues: [{ path: 'id', message }] });
    }
    const { result, revision } = await catalogue.upload(manifest, by, only);
    const stripeResult = result === 'staged' ? await given.putRental(manifest) : undefined;
    const { id, version } = manifest;
    return { ...success, id, version, result, revision, ...(stripeResult && { stripeResult }) };
  }

  router.route(listManifests, async ({ query }) => {
    const db = given.db.kysely.withTables<CatalogueTables>();
    return {
      ...success,
      ...(await readList({ db, snapshot: catalogue.snapshot(), rentersOf: given.rentersOf }, query)),
    };
  });

  router.route(getManifest, async ({ params, query }) => ({
    ...success,
    ...(await readManifest(given, params.id, query.version)),
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
    if (rentalIds.length > 0) given.requireRecentSignIn(caller);
    const { renters } = await catalogue.deleteManifest(params.id, by);
    const refunds =
      rentalIds.length > 0 ? await given.refundRentals(params.id, rentalIds, { actorId: caller.userId, reason }) : [];
    return { ...success, id: params.id, renters, refunds };
  });

  router.route(deployManifest, async ({ caller, params, body, ifMatch: expected }) => {
    const { id } = params;
    const by = byOf(caller, { reason: body.reason, expected });
    const { version, result, revision } = await manifests.deploy(id, body.version, by);
    const failure = await failureOf(id);
    const manifest = await presentOne(given, await catalogue.versions(id));
    if (!manifest) throw noManifest(id);
    return { ...success, id, version, result, manifest, revision, ...(failure !== undefined && { failure }) };
  });

  router.route(reloadManifests, async ({ caller }) => {
    await catalogue.reread();
    const ids = catalogue.snapshot().servers.map(({ id }) => id);
    for (const id of ids) given.reconnect(id);
    watch.refresh(ids);
    const asked = await Promise.all(ids.map(async (id) => ({ id, message: await failureOf(id) })));
    const errors = asked.flatMap(({ id, message }) => (message === undefined ? [] : [{ id, message }]));
    const reloadedCount = ids.length - errors.length;
    await audit(caller.userId, 'manifests.reloaded', { reloaded: reloadedCount, failed: errors.length });
    return { ...success, reloadedCount, errors };
  });

  router.route(deployAllManifests, async ({ caller }) => {
    const { deployed, refused } = await manifests.deployStaged(byOf(caller));
    const errors = refused.map(({ id, error }) => ({ id, message: `Failed to deploy manifest: ${error.message}` }));
    await audit(caller.userId, 'manifests.deployed', { deployed, failed: refused.map(({ id }) => id) });
    return { ...success, deployed: deployed.length, failed: refused.length, errors };
  });

  /** Of what was done to all at once; each deployment has its own row. */
  const audit = (actorId: string, action: string, details: Record<string, unknown>) =>
    writeAudit(given.db.kysely, { actorId, action, subject: 'manifests', details }, new Date(given.clock.now()));
}
