import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Query } from '#platform/db/database.ts';
import { SoukError } from '#platform/errors.ts';
import type { Ids } from '#platform/ids.ts';
import type { Tell } from './progress.ts';
import type { Tested } from './read-manifest.ts';
import { runTest } from './run-test.ts';
import { TestEnded } from './test-failure.ts';
import type { TestChild, TestParts } from './test-parts.ts';
import { createTestPlaces } from './test-places.ts';

/** Deadline of a test. The rest of the 90 s is for killing a process that does not end by itself. */
const maxTestMs = 85_000;

type TestRequest = ({ manifest: string | Uint8Array } | { serverId: string; version?: string | undefined }) & {
  /** The administrator, by their token; undefined for a test by the operator's command. */
  userId: string | undefined;
  withOwnAccount: boolean;
};

type ConnectionTest = {
  /** Runs the test. Resolves after its last event, when its connections, process and folder are gone. */
  run(tell: Tell): Promise<void>;
  /** Does nothing after the end. */
  cancel(): void;
};

/** Connects to servers as a deployment would, alongside what is deployed, and reports each step. */
export type ConnectionTests = {
  /**
   * Takes a place for a test, which its `run` releases.
   * @throws SoukError not_found, too_many_tests, unavailable while the broker is stopping
   */
  start(request: TestRequest): Promise<ConnectionTest>;
  childrenOf(serverId: string): TestChild[];
  /** Cancels the tests under way. Resolves when they have ended. */
  stop(): Promise<void>;
};

export async function createConnectionTests(
  options: Omit<TestParts, 'children'> & {
    query: Query;
    ids: Ids;
  },
): Promise<ConnectionTests> {
  const { catalogue, log, ids, dataDir } = options;
  const children: TestParts['children'] = new Map();
  const places = createTestPlaces(options);
  const underWay = new Map<AbortController, Promise<void>>();
  let stopping = false;
  // left by a broker that was killed during a test
  await rm(join(dataDir, 'connection-tests'), { recursive: true, force: true });

  async function find(request: TestRequest): Promise<Tested> {
    if ('manifest' in request) return { text: request.manifest };
    const { serverId, version } = request;
    const wanted = version ?? (await currentVersion(serverId));
    const stored = wanted === undefined ? undefined : await catalogue.findManifest(serverId, wanted);
    if (stored) return { stored };
    const what =
      version === undefined
        ? `${serverId} has no version that is staged or deployed`
        : `No version ${version} of ${serverId}`;
    throw new SoukError('not_found', { message: what });
  }

  /** Returns the staged version, else the deployed one. */
  async function currentVersion(serverId: string): Promise<string | undefined> {
    const versions = await catalogue.versions(serverId);
    const inStatus = (wanted: string) => versions.find(({ status }) => status === wanted)?.version;
    return inStatus('staging') ?? inStatus('deployed');
  }

  async function runOne(id: string, request: TestRequest & { tested: Tested }, tell: Tell, abort: AbortController) {
    const beganAt = performance.now();
    const timer = setTimeout(() => abort.abort(tooLong()), maxTestMs);
    try {
      const asked = { id, ...request };
      const end = await runTest(asked, { ...options, children }, tell, abort.signal);
      const ms = Math.round(performance.now() - beganAt);
      log.info({ test: id, by: request.userId, result: end.result, ms }, 'connection test');
      tell({ type: 'end', ...end, ms });
    } catch (error) {
      log.error({ err: error, test: id }, 'a connection test failed');
      const ms = Math.round(performance.now() - beganAt);
      tell({ type: 'end', result: 'failed', text: 'The test itself failed: see the log of the broker.', ms });
    } finally {
      clearTimeout(timer);
    }
  }

  return {
    async start(request) {
      if (stopping) throw new SoukError('unavailable');
      const id = ids.uuid();
      const tested = await find(request);
      const leave = await places.take(id, request.userId);
      const abort = new AbortController();
      return {
        async run(tell) {
          const work = runOne(id, { ...request, tested }, tell, abort).finally(async () => {
            underWay.delete(abort);
            await leave().catch((error: unknown) =>
              log.warn({ err: error }, 'the place of a connection test could not be released'),
            );
          });
          underWay.set(abort, work);
          if (stopping) abort.abort(stopped());
          await work;
        },
        cancel: () => abort.abort(new TestEnded('cancelled', 'The test was canceled.')),
      };
    },

    childrenOf: (serverId) => [...children.values()].filter((child) => child.serverId === serverId),

    async stop() {
      stopping = true;
      for (const abort of underWay.keys()) abort.abort(stopped());
      await Promise.all(underWay.values());
    },
  };
}

const stopped = () => new TestEnded('cancelled', 'Souk is stopping.');
const tooLong = () => new TestEnded('failed', 'The test has taken longer than 90 seconds.');
