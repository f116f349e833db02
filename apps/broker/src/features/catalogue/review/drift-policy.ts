import type { DeployedVersion } from '../manifests/version-store.ts';
import type { DriftPolicy } from './judge-tool.ts';

/**
 * Returns which changes of a server's tools are accepted. `own`: the server comes with this installation, so that its
 * tools change only with an upgrade of Souk.
 * @param bundledPrograms aliases of programs that come with this installation
 */
export function driftPolicy(
  { manifest: { connection, toolChanges }, origin }: DeployedVersion,
  bundledPrograms: ReadonlySet<string>,
): DriftPolicy {
  const isOurs =
    connection.type === 'stdio' ? bundledPrograms.has(connection.command) : connection.url.startsWith('service:');
  return origin === 'bundled' && isOurs ? 'own' : (toolChanges ?? 'text-only');
}
