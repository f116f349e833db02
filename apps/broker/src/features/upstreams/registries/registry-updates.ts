import type { RegistryUpdate } from '@souk/contract/catalogue/registries.ts';
import type { Catalogue } from '#features/catalogue/index.ts';
import type { Clock } from '#platform/clock.ts';
import type { Query } from '#platform/db/database.ts';
import { eachAtMost } from '#platform/work/each-at-most.ts';
import { asRecord } from '#platform/json.ts';
import { statusOf } from '../import/server-json/read-server-json.ts';
import { RegistryUnavailable, type RegistryClient } from './registry-client.ts';
import type { RegistryStore } from './registry-store.ts';

const atOnce = 4;
/** Of a look: those that were looked at longest ago come first, so that the next look goes on. */
const mostServers = 500;
const lookMs = 25_000;
/** A registry that fails so often in a row is asked no more in this look. */
const mostFailures = 3;

export type RegistryUpdates = {
  /** What the last look found. */
  list(): Promise<Found>;
  /** Looks at the registries of imported servers. One look at a time: who asks meanwhile gets its result. */
  check(): Promise<Found>;
};

type Found = { updates: RegistryUpdate[]; followed: number; checkedAt: string | null; failures: string[] };
type Row = { server_id: string; version: string; status: RegistryUpdate['status']; checked_at: Date };
type Look = { ended_at: Date; failures: string[] };

export function createRegistryUpdates(options: {
  query: Query;
  catalogue: Pick<Catalogue, 'sources' | 'currentVersions'>;
  registries: Pick<RegistryStore, 'list'>;
  client: Pick<RegistryClient, 'find'>;
  clock: Clock;
}): RegistryUpdates {
  const { query, catalogue, registries, client, clock } = options;
  let running: Promise<Found> | undefined;

  /** The imported servers whose registry is still here. */
  async function followed() {
    const byId = new Map((await registries.list()).map((registry) => [registry.id, registry]));
    return (await catalogue.sources()).flatMap(({ serverId, source }) => {
      const registry = byId.get(source.registryId);
      return registry ? [{ serverId, source, registry }] : [];
    });
  }

  async function list(): Promise<Found> {
    const servers = await followed();
    const { rows } = await query<Row>('select server_id, version, status, checked_at from registry_updates');
    const found = new Map(rows.map((row) => [row.server_id, row]));
    const heads = servers.length === 0 ? [] : await catalogue.currentVersions();
    const nameOf = new Map(heads.map((head) => [head.serverId, head.name]));
    const { rows: looks } = await query<Look>('select ended_at, failures from registry_looks where id = 1');
    return {
      updates: servers.flatMap(({ serverId, source, registry }) => {
        const row = found.get(serverId);
        if (!row || (row.version === source.version && row.status === 'active')) return [];
        return {
          id: serverId,
          name: nameOf.get(serverId) ?? serverId,
          registry: { id: registry.id, name: registry.name },
          registryName: source.name,
          from: source.version,
          to: row.version,
          status: row.status,
          checkedAt: row.checked_at.toISOString(),
        };
      }),
      followed: servers.length,
      checkedAt: looks[0]?.ended_at.toISOString() ?? null,
      failures: looks[0]?.failures ?? [],
    };
  }

  async function look(): Promise<Found> {
    const servers = await inTurn(await followed());
    // a shop that has imported nothing asks no registry
    if (servers.length === 0) return list();
    const failures = new Map<string, { count: number; text: string }>();
    const signal = AbortSignal.timeout(lookMs);
    let asked = 0;
    await eachAtMost(
      atOnce,
      servers,
      async ({ serverId, source, registry }) => {
        const before = failures.get(registry.id)?.count ?? 0;
        if (before >= mostFailures) return;
        try {
          const answer = await client.find(registry.url, source.name, 'latest', signal);
          failures.delete(registry.id);
          await store(serverId, answer, source.version);
        } catch (error) {
          if (!(error instanceof RegistryUnavailable)) throw error;
          failures.set(registry.id, { count: before + 1, text: `${registry.name}: ${error.message}` });
        }
        asked += 1;
      },
      signal,
    );
    const texts = [...failures.values()].map(({ text }) => text);
    if (asked < servers.length)
      texts.push(`${servers.length - asked} of ${servers.length} servers were not looked at: look again`);
    await query(
      `insert into registry_looks (id, ended_at, failures) values (1, $1, $2::jsonb)
        on conflict (id) do update set ended_at = excluded.ended_at, failures = excluded.failures`,
      [new Date(clock.now()), JSON.stringify(texts)],
    );
    return list();
  }

  async function inTurn<Server extends { serverId: string }>(servers: Server[]): Promise<Server[]> {
    const { rows } = await query<Pick<Row, 'server_id' | 'checked_at'>>(
      'select server_id, checked_at from registry_updates',
    );
    const checkedMs = new Map(rows.map((row) => [row.server_id, row.checked_at.getTime()]));
    const since = ({ serverId }: Server) => checkedMs.get(serverId) ?? 0;
    return servers.toSorted((a, b) => since(a) - since(b)).slice(0, mostServers);
  }

  async function store(serverId: string, answer: Record<string, unknown> | undefined, known: string): Promise<void> {
    const server = asRecord(answer?.['server']) ?? answer;
    const version = server?.['version'];
    const { status } = answer ? statusOf(asRecord(answer['_meta'])) : { status: 'deleted' as const };
    const named = typeof version === 'string' && version !== '' ? version.slice(0, 255) : known;
    await query(
      `insert into registry_updates (server_id, version, status, checked_at) values ($1, $2, $3, $4)
        on conflict (server_id) do update
          set version = excluded.version, status = excluded.status, checked_at = excluded.checked_at`,
      [serverId, named, status, new Date(clock.now())],
    );
  }

  return {
    list,
    check() {
      running ??= look().finally(() => (running = undefined));
      return running;
    },
  };
}
