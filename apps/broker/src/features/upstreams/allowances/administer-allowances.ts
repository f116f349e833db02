import type { AllowanceList } from '@souk/contract/admin/allowances.ts';
import type { Catalogue, CatalogueServer } from '#features/catalogue/index.ts';
import type { Config } from '#platform/config.ts';
import { allowedAddresses, portOf } from '#platform/http/outgoing/allowed-addresses.ts';
import type { LimitedEntry } from '#platform/http/outgoing/limited-entry.ts';
import type { Allowances } from './create-allowances.ts';

const shownServers = 100;

export type AllowanceParts = {
  allowances: Allowances;
  catalogue: Pick<Catalogue, 'snapshot'>;
  config: Pick<Config, 'adminMayAllow' | 'upstreamAllowAddresses' | 'stdio'>;
  /** Aliases of the operator's list. */
  aliases: ReadonlySet<string>;
  emailsOf(userIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
};

/** Lists the allowances for administrators and the operator's command. */
export async function listAllowances(parts: AllowanceParts): Promise<Omit<AllowanceList, 'success'>> {
  const { allowances, catalogue, config } = parts;
  const rows = allowances.addressRows();
  const packages = allowances.packageRows();
  const emails = await parts.emailsOf([...rows, ...packages].flatMap(({ addedBy }) => addedBy ?? []));
  const whoAndWhen = (addedBy: string | null, at: Date) => ({
    at: at.toISOString(),
    by: addedBy === null ? null : (emails.get(addedBy) ?? null),
  });
  const { servers } = catalogue.snapshot();
  const idsWhere = (test: (server: CatalogueServer) => boolean) =>
    servers
      .filter(test)
      .slice(0, shownServers)
      .map(({ id }) => id);
  return {
    addresses: {
      mayAdd: config.adminMayAllow.addresses,
      ofOperator: [...config.upstreamAllowAddresses],
      added: rows.map(({ entry, addresses, note, addedBy, addedAt }) => {
        const limited = allowances.addresses().find((one) => one.entry === entry);
        return {
          entry,
          addresses,
          note,
          added: whoAndWhen(addedBy, addedAt),
          servers: limited ? idsWhere((server) => concerns([limited], server)) : [],
        };
      }),
    },
    packages: {
      mayAdd: allowances.mayAddPackages,
      startsPrograms: config.stdio === 'allowlist',
      added: packages.map(({ form, integrity, addedBy, addedAt }) => ({
        form,
        integrity,
        added: whoAndWhen(addedBy, addedAt),
        servers: idsWhere(
          ({ manifest: { connection } }) => connection.type === 'stdio' && connection.command === form.alias,
        ),
        isShadowed: parts.aliases.has(form.alias),
      })),
    },
  };
}

/** Returns whether an entry names the host and port of a server, rather than a network. */
export function isNamedIn(entries: readonly LimitedEntry[], server: CatalogueServer): boolean {
  return concerns(
    entries.filter(({ entry }) => !entry.includes('/')),
    server,
  );
}

/** Returns whether a server may be reached because of one of these entries. A name may resolve into a listed network. */
export function concerns(entries: readonly LimitedEntry[], { manifest: { connection } }: CatalogueServer): boolean {
  if (connection.type === 'stdio') return false;
  const url = URL.parse(connection.url);
  return url !== null && allowedAddresses(entries).mayHave(url.hostname, portOf(url));
}
