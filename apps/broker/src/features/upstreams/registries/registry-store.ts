import type { AuditAction } from '@souk/contract/admin/audit-actions.ts';
import { maxRegistries, type Registry } from '@souk/contract/catalogue/registries.ts';
import { writeAuditWith } from '#platform/audit/audit-log.ts';
import type { Clock } from '#platform/clock.ts';
import type { Database, Query } from '#platform/db/database.ts';
import { SoukError } from '#platform/errors.ts';
import type { UpstreamAddressRule } from '#platform/http/outgoing/upstream-address-rule.ts';
import type { Ids } from '#platform/ids.ts';

/** The administrator, or the operator's command, that changes the registries. */
export type ChangedBy = { actorId?: string | undefined; via: 'administration' | 'command' };

type Row = Omit<Registry, 'addedAt'> & { addedAt: Date };

const ofRegistry = `select r.id, r.name, r.url, r.added_at as "addedAt", (
    select count(distinct m.server_id)::int from manifest_versions m
    where m.source is not null and m.status <> 'superseded' and m.source->>'registryId' = r.id::text) as servers
  from registries r`;

/** The registries from which servers are imported. */
export function createRegistryStore(options: {
  db: Pick<Database, 'query' | 'transaction'>;
  /** Requires https, except for addresses that the operator allows. */
  addressProblem: UpstreamAddressRule;
  clock: Clock;
  ids: Pick<Ids, 'uuid'>;
}) {
  const { db, addressProblem, clock, ids } = options;

  async function find(id: string): Promise<Registry> {
    const { rows } = await db.query<Row>(`${ofRegistry} where r.id = $1`, [id]);
    const [row] = rows;
    if (!row) throw new SoukError('not_found', { message: 'There is no such registry' });
    return present(row);
  }

  async function change(
    action: AuditAction,
    by: ChangedBy,
    work: (query: Query, at: Date) => Promise<{ subject: string; details: Record<string, unknown> }>,
  ): Promise<void> {
    await db.transaction(async (query) => {
      const at = new Date(clock.now());
      const { subject, details } = await work(query, at);
      await writeAuditWith(query, { actorId: by.actorId, action, subject, details: { ...details, via: by.via } }, at);
    });
  }

  return {
    async list(): Promise<Registry[]> {
      const { rows } = await db.query<Row>(`${ofRegistry} order by lower(r.name), r.url`);
      return rows.map(present);
    },
    /** @throws SoukError not_found */
    find,
    /** @throws SoukError url_not_allowed, invalid_request, registry_known */
    async add({ name, url }: { name: string; url: string }, by: ChangedBy): Promise<Registry> {
      const address = baseOf(url, addressProblem);
      const id = ids.uuid();
      await change('registry.added', by, async (query, at) => {
        const { rows } = await query<{ url: string }>('select url from registries');
        if (rows.length >= maxRegistries) throw refused('url', `there are ${maxRegistries} registries already`);
        if (rows.some((row) => row.url === address)) {
          throw new SoukError('registry_known', { message: `The registry ${address} is already here` });
        }
        await query('insert into registries (id, name, url, added_at) values ($1, $2, $3, $4)', [
          id,
          name,
          address,
          at,
        ]);
        return { subject: address, details: { name } };
      });
      return find(id);
    },
    /** @throws SoukError not_found */
    async rename(id: string, name: string, by: ChangedBy): Promise<Registry> {
      const before = await find(id);
      await change('registry.renamed', by, async (query) => {
        await query('update registries set name = $2 where id = $1', [id, name]);
        return { subject: before.url, details: { before: before.name, name } };
      });
      return find(id);
    },
    /** @throws SoukError not_found */
    async remove(id: string, by: ChangedBy): Promise<void> {
      const { url, name } = await find(id);
      await change('registry.removed', by, async (query) => {
        await query('delete from registries where id = $1', [id]);
        return { subject: url, details: { name } };
      });
    },
  };
}

export type RegistryStore = ReturnType<typeof createRegistryStore>;

const present = (row: Row): Registry => ({ ...row, addedAt: row.addedAt.toISOString() });

function refused(path: string, message: string): SoukError {
  return new SoukError('invalid_request', { message: `${path}: ${message}`, issues: [{ path, message }] });
}

/** Returns the part of an address before /v0.1, in case it was copied with its path. */
function baseOf(text: string, addressProblem: UpstreamAddressRule): string {
  const url = URL.parse(text);
  if (!url || !['https:', 'http:'].includes(url.protocol)) throw refused('url', 'must be an https address');
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw refused('url', 'must be an address without credentials, query and fragment');
  }
  const problem = addressProblem(url);
  if (problem !== undefined) {
    throw new SoukError('url_not_allowed', { message: `url: ${problem}`, issues: [{ path: 'url', message: problem }] });
  }
  const [before = ''] = url.href.split('/v0.1', 1);
  return before.endsWith('/') ? before.slice(0, -1) : before;
}
