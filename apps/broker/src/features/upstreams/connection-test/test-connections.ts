import type { OpenOptions } from '#adapters/mcp/connect/open-options.ts';
import { NoticeLimits } from '#adapters/mcp/notices/notice-limits.ts';
import type { UpstreamTarget } from '#adapters/mcp/target.ts';
import type { Upstream } from '#adapters/mcp/upstream.ts';
import type { ServerManifest } from '#features/catalogue/index.ts';
import type { Log } from '#platform/log.ts';
import { openServer } from '../pool/open-server.ts';
import { kindsOf } from '../pool/question-kinds.ts';
import type { ServerConnections } from '../watch/read-asking.ts';

export type TestConnections = ServerConnections & {
  /** Opens the first connection. @throws UpstreamError */
  open(): Promise<Upstream>;
  /** Closes the connections. Resolves when all sockets and processes have ended. */
  close(): Promise<void>;
};

/** The connections of one test. They are opened outside the pool, so that a test takes no connection from users. */
export function createTestConnections(
  server: ServerManifest,
  target: UpstreamTarget,
  options: Pick<OpenOptions, 'onToolListChanged' | 'onDiagnostics'> & { signal: AbortSignal; log: Log },
): TestConnections {
  const notices = new NoticeLimits();
  const openByKinds = new Map<number, Promise<Upstream>>();
  const { signal, onToolListChanged: listChanged } = options;

  const acquire: ServerConnections['acquire'] = async (needs) => {
    const clientCapabilities = needs?.listsFor;
    const opening = openServer(server, target, {
      ...options,
      notices: notices.ofServer(server.id),
      ...(clientCapabilities && { clientCapabilities }),
      ...(listChanged && { onPromptListChanged: listChanged, onResourceListChanged: listChanged }),
    });
    openByKinds.set(kindsOf(clientCapabilities), opening);
    return { upstream: await opening, release: () => {} };
  };

  async function end(opening: Promise<Upstream>): Promise<void> {
    const upstream = await opening.catch(() => undefined);
    await upstream?.close();
  }

  async function close(): Promise<void> {
    await Promise.all([...openByKinds.values()].map(end));
  }

  // closing a connection also ends the reading of lists on it
  signal.addEventListener('abort', () => void close(), { once: true });

  return {
    acquire,
    async drop(needs) {
      const opening = openByKinds.get(kindsOf(needs?.listsFor));
      if (opening) await end(opening);
    },
    open: async () => (await acquire()).upstream,
    close,
  };
}
