import type { TestStep } from '@souk/contract/admin/servers.ts';
import type { Manifest } from '@souk/contract/manifest/manifest.ts';
import { UpstreamError } from '#adapters/mcp/upstream-error.ts';
import type { ServerManifest } from '#features/catalogue/index.ts';
import { ownService } from '../pool/own-service.ts';
import { addressOf, upstreamTarget } from '../pool/upstream-target.ts';
import { needsOwnSecrets } from '../sign-in/credentials.ts';
import { findFaults } from './find-faults.ts';
import { initialize } from './initialize.ts';
import { orAborted } from '#platform/or-aborted.ts';
import { createProgress, type Tell } from './progress.ts';
import { readLists } from './read-lists.ts';
import { readManifest, type Tested } from './read-manifest.ts';
import { startProgram } from './start-program.ts';
import type { Running, TestParts, TestRoute } from './test-parts.ts';
import { createTestConnections } from './test-connections.ts';
import { TestEnded, failureText, type TestEnd } from './test-failure.ts';
import { watchConnection, type WatchedConnection } from './watch-connection.ts';

export type AskedTest = {
  id: string;
  tested: Tested;
  /** The administrator, whose own account the test may use. */
  userId: string | undefined;
  withOwnAccount: boolean;
};

export type TestResult = { result: 'passed' | TestEnd; text: string };

const overNetwork: readonly TestStep[] = ['resolve', 'address', 'tls', 'connect'];
const ofProgram: readonly TestStep[] = ['alias', 'sandbox', 'start'];
const always: readonly TestStep[] = ['initialize', 'lists', 'findings'];

/**
 * Connects to the server of a manifest as a deployment would, and reports each step. Resolves when its connections,
 * process and folder are gone.
 * @param signal ends the test; its reason is a TestEnded
 */
export async function runTest(
  asked: AskedTest,
  parts: TestParts,
  send: Tell,
  signal: AbortSignal,
): Promise<TestResult> {
  const { manifest, refused } = await readManifest(asked.tested, parts);
  const hide = (text: string) => (manifest ? parts.hide(manifest.id, text) : text);
  const tell: Tell = (event) => send(withTexts(event, hide));
  const steps = stepsOf(manifest);
  tell({ type: 'started', testId: asked.id, steps });
  const progress = createProgress(steps, tell);
  progress.begin('manifest');
  const end = await endOfTest(asked, manifest, refused, { parts, progress, tell, signal });
  progress.reportUnreached();
  return withTexts(end, hide);
}

/** Returns a copy of a value in which `change` was applied to each text. */
function withTexts<T>(value: T, change: (text: string) => string): T {
  const changed: unknown =
    typeof value === 'string'
      ? change(value)
      : Array.isArray(value)
        ? value.map((each: unknown) => withTexts(each, change))
        : typeof value === 'object' && value !== null
          ? Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withTexts(each, change)]))
          : value;
  // only texts have changed, so the type is the same
  return changed as T;
}

/** Returns the steps of a test. An unreadable manifest does not say how to reach its server. */
function stepsOf(manifest: Manifest | undefined): TestStep[] {
  if (!manifest) return ['manifest'];
  return ['manifest', ...(manifest.connection.type === 'stdio' ? ofProgram : overNetwork), ...always];
}

async function endOfTest(
  asked: AskedTest,
  manifest: Manifest | undefined,
  refused: string | undefined,
  running: Running,
): Promise<TestResult> {
  if (!manifest || refused !== undefined) {
    const text = refused ?? 'It cannot be read.';
    running.progress.fail(text);
    return { result: 'failed', text };
  }
  running.progress.pass(`${manifest.id} ${manifest.version}`);
  return connectAndRead({ id: manifest.id, manifest }, asked, running);
}

async function connectAndRead(server: ServerManifest, asked: AskedTest, running: Running): Promise<TestResult> {
  let route: TestRoute;
  try {
    route = await findRoute(server, asked, running);
  } catch (error) {
    return endOf(error, undefined, running);
  }
  try {
    return await readOver(route, server, running);
  } finally {
    await route.leave();
  }
}

async function readOver(route: TestRoute, server: ServerManifest, running: Running): Promise<TestResult> {
  const { parts, progress, tell, signal } = running;
  const announced = { hasNewListsWhileAsked: false };
  const connections = createTestConnections(server, route.target, {
    signal,
    log: parts.log,
    ...(route.onDiagnostics && { onDiagnostics: route.onDiagnostics }),
    onToolListChanged: () => {
      announced.hasNewListsWhileAsked = true;
    },
  });
  try {
    const upstream = await initialize(server, connections, progress);
    const { discovered, lists } = await readLists(server, upstream, { ...running, connections, announced });
    progress.begin('findings');
    const findings = findFaults(server.manifest, discovered, lists, parts.policy);
    const bad = findings.filter(({ weight }) => weight === 'bad').length;
    progress.pass(bad === 0 ? 'No problems for clients' : `${bad} ${bad === 1 ? 'problem' : 'problems'} for clients`);
    tell({ type: 'findings', findings });
    return { result: 'passed', text: 'A deployment would work.' };
  } catch (error) {
    return endOf(error, route.watched, running);
  } finally {
    await connections.close();
  }
}

/** Reports why a test ends at its current step. @throws errors that are not the server's fault */
function endOf(thrown: unknown, watched: WatchedConnection | undefined, { progress, signal }: Running): TestResult {
  const error: unknown = signal.aborted ? signal.reason : thrown;
  if (error instanceof TestEnded) {
    progress.fail(error.message);
    return { result: error.result, text: error.message };
  }
  if (!(error instanceof UpstreamError)) throw error;
  if (watched) watched.failed(error);
  else progress.fail(failureText(error));
  return { result: 'failed', text: failureText(error) };
}

/** @throws UpstreamError when no connection can be attempted; TestEnded */
async function findRoute(server: ServerManifest, asked: AskedTest, running: Running): Promise<TestRoute> {
  const { parts, progress } = running;
  if (server.manifest.connection.type === 'stdio') {
    return startProgram({ id: server.id, command: server.manifest.connection.command, testId: asked.id }, running);
  }
  const service = ownService(server)?.name;
  if (service !== undefined) await orAborted(parts.services.start(service), running.signal);
  const userId = await ownAccount(server, asked, parts);
  progress.begin('resolve');
  const watched = watchConnection(new URL(addressOf(server, parts).url), service, progress);
  const target = upstreamTarget(server, userId, { ...parts, watch: watched.watch });
  return { target, watched, leave: async () => {} };
}

/**
 * Returns the administrator, if they want the test to use their account and have one for the manifest's address. Other users'
 * accounts are never used.
 * @returns undefined for a test without an account, like a discovery
 */
async function ownAccount(
  server: ServerManifest,
  { userId, withOwnAccount }: AskedTest,
  { signIn }: TestParts,
): Promise<string | undefined> {
  if (!withOwnAccount || userId === undefined || !needsOwnSecrets(server)) return undefined;
  return (await signIn.needsAccount(userId, server)) ? undefined : userId;
}
