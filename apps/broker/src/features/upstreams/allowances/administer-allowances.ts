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
  /** Of the operator's list. */
  aliases: ReadonlySet<string>;
  emailsOf(userIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
};

/** What administrators and the operator's command are shown of it. */
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
          servers: limited
            ? servers
                .filter((server) => concerns([limited], server))
                .slice(0, shownServers)
                .map(({ id }) => id)
            : [],
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
        servers: servers
          .filter(({ manifest: { connection } }) => connection.type === 'stdio' && connection.command === form.alias)
          .slice(0, shownServers)
          .map(({ id }) => id),
        isShadowed: parts.aliases.has(form.alias),
      })),
    },
  };
}

/** Whether one of them names the very host and port of a server. */
export function isNamedIn(entries: readonly LimitedEntry[], server: CatalogueServer): boolean {
  return concerns(
    entries.filter(({ entry }) => !entry.includes('/')),
    server,
  );
}

/** Whether a server may be reached by one of these entries. Of a name in a network only its resolution says it. */
export function concerns(entries: readonly LimitedEntry[], { manifest: { connection } }: CatalogueServer): boolean {
  if (connection.type === 'stdio') return false;
  const url = URL.parse(connection.url);
  return url !== null && allowedAddresses(entries).mayHave(url.hostname, portOf(url));
}
