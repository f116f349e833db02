import { sql, type Kysely } from 'kysely';
import type { Catalogue, CatalogueServer } from '#features/catalogue/index.ts';
import { writeAudit } from '#platform/audit/audit-log.ts';
import { actorOf, operatorOf, type DecidedBy } from '#platform/audit/decided-by.ts';
import type { Clock } from '#platform/clock.ts';
import type { Database } from '#platform/db/database.ts';
import type { Log } from '#platform/log.ts';
import { headerVariable } from '../sign-in/client/operator-secrets.ts';
import { secretPlace } from './secret-place.ts';

const channel = 'souk_environment_places';

/**
 * The address to which a server's headers from the environment are bound: the first one deployed while they were set,
 * until the operator names another. A manifest with another address does not get them.
 */
export async function createEnvironmentPlaces(options: {
  db: Database;
  catalogue: Pick<Catalogue, 'snapshot' | 'onChange'>;
  /** The operator's values by variable. */
  environment: ReadonlyMap<string, string>;
  clock: Clock;
  log: Log;
}) {
  const { db, catalogue, clock, log } = options;
  const kysely: Kysely<Record<never, never>> = db.kysely;
  const listeners = new Set<(serverId: string) => void>();
  /** Prefixes of header variables, up to their first `__`. */
  const starts = new Set<string | null>(
    [...options.environment.keys()].map((name) => name.slice(0, name.indexOf('__') + 2)),
  );
  let bound = new Map<string, string>();
  /** Serializes reads and bindings, so that an older read cannot replace a newer one. */
  let working: Promise<void> = Promise.resolve();

  function boundTo(serverId: string): string | undefined {
    const deployed = catalogue.snapshot().byId.get(serverId);
    return bound.get(serverId) ?? (deployed && secretPlace(deployed));
  }

  async function read(): Promise<void> {
    const { rows } = await db.query<{ serverId: string; place: string }>(
      'select server_id as "serverId", place from environment_places',
    );
    const changed = rows.filter(({ serverId, place }) => boundTo(serverId) !== place);
    bound = new Map(rows.map(({ serverId, place }) => [serverId, place]));
    for (const { serverId } of changed) for (const listener of listeners) listener(serverId);
  }

  function inTurn(work: () => Promise<void>): Promise<void> {
    const next = working.then(work);
    working = next.catch((error: unknown) => {
      log.error({ err: error }, 'the addresses that get secrets of the environment cannot be read or stored');
    });
    return next;
  }

  /** Binds the headers of servers to their first address. Existing rows stay. */
  async function bindFirst(servers: readonly CatalogueServer[]): Promise<void> {
    const unbound = servers.filter(({ id }) => starts.has(headerVariable(id, '')) && !bound.has(id));
    if (unbound.length === 0) return;
    await inTurn(async () => {
      for (const server of unbound) {
        await db.query(
          `insert into environment_places (server_id, place, bound_at) values ($1, $2, $3)
           on conflict (server_id) do nothing`,
          [server.id, secretPlace(server), new Date(clock.now())],
        );
      }
      await db.notify(channel, '');
      await read();
    });
  }

  const reload = () => void inTurn(read).catch(() => {});
  // before the first read, so that no change in between is missed
  const stopListening = await db.listen(channel, reload, reload);
  await inTurn(read);
  await bindFirst(catalogue.snapshot().servers);
  const stopFollowing = catalogue.onChange((_snapshot, changed) => void bindFirst(changed).catch(() => {}));

  return {
    /** Returns the address to which a server's headers are bound; undefined if it was never deployed. */
    boundTo,
    /** Binds a server's headers to another address, on the operator's command. */
    async bind(serverId: string, place: string, by: DecidedBy): Promise<void> {
      await kysely.transaction().execute(async (tx) => {
        const at = new Date(clock.now());
        await sql`insert into environment_places (server_id, place, bound_at) values (${serverId}, ${place}, ${at})
          on conflict (server_id) do update set place = excluded.place, bound_at = excluded.bound_at`.execute(tx);
        const details = { place, ...operatorOf(by) };
        const row = {
          actorId: actorOf(by),
          action: 'secret.bound',
          subject: serverId,
          reason: by.reason,
          details,
        } as const;
        await writeAudit(tx, row, at);
        await sql`select pg_notify(${channel}, '')`.execute(tx);
      });
      await inTurn(read);
    },
    /** Calls `listener` when a command at any broker has bound a server's headers to another address. */
    onChange: (listener: (serverId: string) => void): void => void listeners.add(listener),
    async stop(): Promise<void> {
      stopFollowing();
      await stopListening();
      await working;
    },
  };
}

export type EnvironmentPlaces = Awaited<ReturnType<typeof createEnvironmentPlaces>>;
