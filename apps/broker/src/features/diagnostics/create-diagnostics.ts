import type { Dispatcher } from 'undici';
import type { ConnectionAttempt } from '@souk/contract/diagnostics.ts';
import type { FindTokenOwner, Identity } from '#features/identity/index.ts';
import { createBackground } from '#platform/work/background.ts';
import type { Clock } from '#platform/clock.ts';
import type { Database } from '#platform/db/database.ts';
import type { Router } from '#platform/http/router.ts';
import type { Ids } from '#platform/ids.ts';
import type { Log } from '#platform/log.ts';
import { createAttemptStore } from './attempts/attempt-store.ts';
import { createEventWriter } from './attempts/event-writer.ts';
import { followRefusals } from './attempts/follow-refusals.ts';
import { followRequests } from './attempts/follow-requests.ts';
import { followSignIns } from './attempts/follow-sign-ins.ts';
import { presentAttempt } from './attempts/present-attempt.ts';
import { createDocumentFaults } from './document-faults.ts';
import { createSelfTest } from './doctor/self-test.ts';
import { mountDiagnosticsRoutes } from './routes.ts';

type DiagnosticsOptions = {
  db: Database;
  publicUrl: string;
  findTokenOwner: FindTokenOwner;
  dispatcher: Dispatcher;
  /** The names of a user's connected apps on the other screens, by grant. */
  namesOfApps(userId: string): Promise<ReadonlyMap<string, string>>;
  recordClientVersion(grantId: string, version: string): Promise<void>;
  clock: Clock;
  ids: Ids;
  log: Log;
};

export type Diagnostics = ReturnType<typeof createDiagnostics>;

/**
 * Records each client's connection attempts for its user, step by step: what passed, what failed and why. Also runs the
 * self-test, which takes the steps of a client. Events are queued and written later; no request waits.
 */
export function createDiagnostics(options: DiagnosticsOptions) {
  const { db, publicUrl, dispatcher, clock, ids, log } = options;
  const store = createAttemptStore(db, ids);
  const writer = createEventWriter(store.write, log);
  const background = createBackground(log);
  const faults = createDocumentFaults({ query: db.query, clock, background });
  const following = { ...options, background, record: writer.record, mcpUrl: `${publicUrl}/mcp` };
  const versionSeen = (grantId: string, version: string) =>
    background.add(options.recordClientVersion(grantId, version), 'the version of a client was not recorded');

  async function flush(): Promise<void> {
    await background.flush();
    await writer.flush();
  }

  async function list(userId: string): Promise<ConnectionAttempt[]> {
    // users want to see what their client just did
    await flush();
    const rows = await store.list(userId, new Date(clock.now()));
    const names = await options.namesOfApps(userId);
    return rows.map((row) =>
      presentAttempt(row, clock.now(), row.grant_id === null ? undefined : names.get(row.grant_id)),
    );
  }

  return {
    identityEvents: { ...followSignIns(following), ...faults.events },
    gatewayEvents: { ...followRequests({ ...following, versionSeen }), ...followRefusals(following) },
    list,
    mountRoutes(
      router: Router,
      {
        throwAwayAccess,
        signInProviders,
        checkKnownDocuments,
      }: Pick<Identity, 'throwAwayAccess' | 'signInProviders' | 'checkKnownDocuments'>,
    ): void {
      const removeAttempts = async (tokenId: string) => {
        await flush();
        await store.removePersonalToken(tokenId);
      };
      const selfTest = createSelfTest({
        db,
        publicUrl,
        dispatcher,
        throwAwayAccess,
        signInProviders,
        knownDocuments: checkKnownDocuments,
        removeAttempts,
        clock,
        ids,
      });
      mountDiagnosticsRoutes(router, { list, listDocumentFaults: faults.list, selfTest });
    },
    async reap(): Promise<void> {
      await store.reap(new Date(clock.now()));
      await faults.reap();
    },
    flush,
  };
}
