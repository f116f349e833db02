import type { DeployedVersion } from '../manifests/version-store.ts';
import type { DriftPolicy } from './judge-tool.ts';

/**
 * Returns how a server's tools may change. What comes with this installation changes with an upgrade of Souk.
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
