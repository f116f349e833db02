import type { FastifyInstance } from 'fastify';
import { createBackground } from '#platform/work/background.ts';
import type { Clock } from '#platform/clock.ts';
import type { Database } from '#platform/db/database.ts';
import { SoukError } from '#platform/errors.ts';
import { createGuardedDispatcher } from '#platform/http/outgoing/guarded-fetch.ts';
import type { Outgoing } from '#platform/http/outgoing/outgoing.ts';
import type { Log } from '#platform/log.ts';
import type { Catalogue } from '../create-catalogue.ts';
import { fetchIcon } from './fetch-icon.ts';
import { findIcon, upsertIcon, type IconFile } from './icon-store.ts';
import type { CatalogueServer } from '../snapshot/snapshot.ts';
import type { CatalogueTables } from '../tables.ts';

/** Cached icons, of at most 256 KiB each. */
const maxCached = 32;

/** Icons of servers: fetched once per deployment, stored in the database, served from our own origin. */
export type Icons = {
  /** Fetches missing icons, now and after each deployment. */
  start(): void;
  mountRoutes(app: FastifyInstance): void;
  stop(): Promise<void>;
};

export function createIcons(parts: {
  db: Database;
  catalogue: Catalogue;
  /** Private addresses that the operator allows. */
  allowAddresses: readonly string[];
  /** Demands https, except for those addresses. */
  production: boolean;
  outgoing: Outgoing;
  clock: Clock;
  log: Log;
}): Icons {
  const { catalogue, clock, log } = parts;
  const db = parts.db.kysely.withTables<CatalogueTables>();
  const dispatcher = createGuardedDispatcher({
    allowAddresses: parts.allowAddresses,
    publicNeedsTls: parts.production,
    connections: 4,
    outgoing: parts.outgoing,
  });
  const background = createBackground(log);
  /** Time of the deployment whose icon was last fetched, by server. */
  const askedFor = new Map<string, number>();
  const cached = new Map<string, IconFile>();
  let stopListening = () => {};
  let queue: Promise<void> = Promise.resolve();

  async function fetchFor({ id }: CatalogueServer, source: string): Promise<void> {
    try {
      const icon = await fetchIcon(source, dispatcher);
      await upsertIcon(db, { serverId: id, source, ...icon, fetchedAt: new Date(clock.now()) });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      log.warn({ server: id, err: error }, `the icon of a server is left out: ${reason}`);
      return;
    }
    await catalogue.iconChanged(id);
  }

  function fetchMissing(servers: readonly CatalogueServer[]): void {
    for (const server of servers) {
      const source = server.manifest.icon;
      const isKnown = server.icon !== undefined && server.icon.fetchedAtMs >= server.deployedAtMs;
      if (source === undefined || !isWebAddress(source) || isKnown) continue;
      if (askedFor.get(server.id) === server.deployedAtMs) continue;
      askedFor.set(server.id, server.deployedAtMs);
      // sequentially: icons are not urgent
      queue = queue.then(() => fetchFor(server, source));
      background.add(queue, 'an icon could not be stored');
      queue = queue.catch(() => {});
    }
  }

  return {
    start() {
      stopListening = catalogue.onChange((_, changed) => fetchMissing(changed));
      fetchMissing(catalogue.snapshot().servers);
    },
    mountRoutes(app) {
      app.get<{ Params: { file: string } }>('/icons/:file', async (request, reply) => {
        const [, sha256] = /^([0-9a-f]{64})\.(?:png|jpg|webp)$/.exec(request.params.file) ?? [];
        const icon = sha256 === undefined ? undefined : (cached.get(sha256) ?? (await findIcon(db, sha256)));
        if (sha256 === undefined || !icon) throw new SoukError('not_found');
        const [oldest] = cached.size < maxCached || cached.has(sha256) ? [] : cached.keys();
        if (oldest !== undefined) cached.delete(oldest);
        cached.set(sha256, icon);
        return reply
          .header('content-type', icon.contentType)
          .header('x-content-type-options', 'nosniff')
          .header('content-security-policy', "default-src 'none'")
          .header('cache-control', 'public, max-age=31536000, immutable')
          .send(icon.bytes);
      });
    },
    async stop() {
      stopListening();
      await dispatcher.destroy();
      await background.flush();
    },
  };
}

/** Whether an icon has to be fetched. Others are paths on our own origin, or are not shown. */
function isWebAddress(source: string): boolean {
  return ['https:', 'http:'].includes(URL.parse(source)?.protocol ?? '');
}
