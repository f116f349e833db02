import type { Registry, RegistryUpdate } from '@souk/contract/catalogue/registries.ts';
import type { Catalogue, ManifestSource } from '#features/catalogue/index.ts';
import type { Clock } from '#platform/clock.ts';
import type { Query } from '#platform/db/database.ts';
import { eachAtMost } from '#platform/work/each-at-most.ts';
import { asRecord } from '#platform/json.ts';
import { statusOf } from '../import/server-json/read-server-json.ts';
import { RegistryUnavailable, type RegistryClient } from './registry-client.ts';
import type { RegistryStore } from './registry-store.ts';

const atOnce = 4;
/** Servers per check. The next check continues with those that were checked least recently. */
const maxServers = 500;
const checkTimeoutMs = 25_000;
/** Consecutive failures after which a registry is skipped for the rest of a check. */
const maxFailures = 3;

export type RegistryUpdates = {
  /** Returns the result of the last check. */
  list(): Promise<Found>;
  /** Checks the registries of imported servers. Concurrent callers share one check. */
  check(): Promise<Found>;
};

type Parts = {
  query: Query;
  catalogue: Pick<Catalogue, 'sources' | 'currentVersions'>;
  registries: Pick<RegistryStore, 'list'>;
  client: Pick<RegistryClient, 'find'>;
  clock: Clock;
};
type Found = { updates: RegistryUpdate[]; followed: number; checkedAt: string | null; failures: string[] };
type Row = { serverId: string; version: string; status: RegistryUpdate['status']; checkedAt: Date };
type Followed = { serverId: string; source: ManifestSource; registry: Registry };

export function createRegistryUpdates(parts: Parts): RegistryUpdates {
  let running: Promise<Found> | undefined;
  return {
    list: () => list(parts),
    check() {
      running ??= checkAll(parts).finally(() => (running = undefined));
      return running;
    },
  };
}

/** Returns the imported servers whose registry is still here. */
async function followed({ registries, catalogue }: Parts): Promise<Followed[]> {
  const byId = new Map((await registries.list()).map((registry) => [registry.id, registry]));
  return (await catalogue.sources()).flatMap(({ serverId, source }) => {
    const registry = byId.get(source.registryId);
    return registry ? [{ serverId, source, registry }] : [];
  });
}

async function list(parts: Parts): Promise<Found> {
  const { query, catalogue } = parts;
  const servers = await followed(parts);
  const { rows } = await query<Row>(
    'select server_id as "serverId", version, status, checked_at as "checkedAt" from registry_updates',
  );
  const found = new Map(rows.map((row) => [row.serverId, row]));
  const heads = servers.length === 0 ? [] : await catalogue.currentVersions();
  const nameOf = new Map(heads.map((head) => [head.serverId, head.name]));
  const { rows: looks } = await query<{ endedAt: Date; failures: string[] }>(
    'select ended_at as "endedAt", failures from registry_looks where id = 1',
  );
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
        checkedAt: row.checkedAt.toISOString(),
      };
    }),
    followed: servers.length,
    checkedAt: looks[0]?.endedAt.toISOString() ?? null,
    failures: looks[0]?.failures ?? [],
  };
}

async function checkAll(parts: Parts): Promise<Found> {
  const { query, client, clock } = parts;
  const servers = await leastRecentFirst(await followed(parts), query);
  // without imported servers, no registry is asked
  if (servers.length === 0) return list(parts);
  const failures = new Map<string, { count: number; text: string }>();
  const signal = AbortSignal.timeout(checkTimeoutMs);
  let asked = 0;
  await eachAtMost(
    atOnce,
    servers,
    async ({ serverId, source, registry }) => {
      const before = failures.get(registry.id)?.count ?? 0;
      if (before >= maxFailures) return;
      try {
        const answer = await client.find(registry.url, source.name, 'latest', signal);
        failures.delete(registry.id);
        await store(serverId, answer, source.version, parts);
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
    texts.push(`${servers.length - asked} of ${servers.length} servers were not checked: check again`);
  await query(
    `insert into registry_looks (id, ended_at, failures) values (1, $1, $2::jsonb)
      on conflict (id) do update set ended_at = excluded.ended_at, failures = excluded.failures`,
    [new Date(clock.now()), JSON.stringify(texts)],
  );
  return list(parts);
}

async function leastRecentFirst(servers: Followed[], query: Query): Promise<Followed[]> {
  const { rows } = await query<Pick<Row, 'serverId' | 'checkedAt'>>(
    'select server_id as "serverId", checked_at as "checkedAt" from registry_updates',
  );
  const checkedMs = new Map(rows.map((row) => [row.serverId, row.checkedAt.getTime()]));
  const since = ({ serverId }: Followed) => checkedMs.get(serverId) ?? 0;
  return servers.toSorted((a, b) => since(a) - since(b)).slice(0, maxServers);
}

async function store(
  serverId: string,
  answer: Record<string, unknown> | undefined,
  known: string,
  { query, clock }: Parts,
): Promise<void> {
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
