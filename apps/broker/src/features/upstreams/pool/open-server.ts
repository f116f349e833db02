import { openUpstream } from '#adapters/mcp/connect/open-upstream.ts';
import type { OpenOptions } from '#adapters/mcp/connect/open-options.ts';
import type { UpstreamTarget } from '#adapters/mcp/target.ts';
import type { Upstream } from '#adapters/mcp/upstream.ts';
import type { ServerManifest } from '#features/catalogue/index.ts';

const maxResultBytes = 8 * 1024 * 1024;

/**
 * Opens a connection to a server within the deadlines of its manifest and the limits for all servers.
 * @throws UpstreamError
 */
export function openServer(
  { manifest: { deadlines } }: ServerManifest,
  target: UpstreamTarget,
  options: Omit<OpenOptions, 'connectTimeoutMs' | 'listTimeoutMs' | 'maxResultBytes'>,
): Promise<Upstream> {
  return openUpstream(target, {
    connectTimeoutMs: deadlines.connectMs,
    listTimeoutMs: deadlines.listMs,
    maxResultBytes,
    ...options,
  });
}
