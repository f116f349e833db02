import { UpstreamError } from '#adapters/mcp/upstream-error.ts';
import type { Upstream } from '#adapters/mcp/upstream.ts';
import type { ServerManifest } from '#features/catalogue/index.ts';
import { cleanLabel } from '#platform/text/clean-label.ts';
import { needsOwnSecrets } from '../sign-in/credentials.ts';
import type { Progress } from './progress.ts';
import type { TestConnections } from './test-connections.ts';
import { TestEnded } from './test-failure.ts';

export const needsAccount = "needs a person's account";

/**
 * Runs the handshake. A server that asks for a sign-in passes if its manifest mentions one: it would show as connected, and
 * each user signs in.
 * @throws TestEnded needs_account; UpstreamError
 */
export async function initialize(
  server: ServerManifest,
  connections: TestConnections,
  progress: Progress,
): Promise<Upstream> {
  try {
    const upstream = await connections.open();
    progress.pass(introduction(upstream));
    return upstream;
  } catch (error) {
    const isAsked = error instanceof UpstreamError && error.kind === 'sign_in_required' && needsOwnSecrets(server);
    if (!isAsked || progress.current !== 'initialize') throw error;
    progress.pass('It asks for a sign-in (401), as its manifest says.');
    throw new TestEnded('needs_account', needsAccount);
  }
}

function introduction({ serverInfo, era, protocolVersion }: Upstream): string {
  const name = serverInfo && cleanLabel(`${serverInfo.name} ${serverInfo.version}`);
  const spoken = `protocol ${cleanLabel(protocolVersion)} (${era === 'legacy' ? 'up to 2025-11-25' : 'since 2026-07-28'})`;
  return name === undefined ? spoken : `${name}, ${spoken}`;
}
