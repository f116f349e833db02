import type { Catalogue, ServerManifest } from '#features/catalogue/index.ts';
import type { UpstreamPool } from '../pool/upstream-pool.ts';
import type { StdioAllowlist } from '../processes/stdio-allowlist.ts';
import type { ServerWatch } from '../watch/watch-servers.ts';
import { concerns, isNamedIn } from './administer-allowances.ts';
import type { Allowances } from './create-allowances.ts';

/** Ends connections to servers that administrators no longer allow, and rediscovers servers whose allowance changed. */
export function followAllowances(
  allowances: Pick<Allowances, 'onChange'>,
  parts: {
    allowlist: StdioAllowlist;
    catalogue: Pick<Catalogue, 'snapshot'>;
    pool: Pick<UpstreamPool, 'dropAll' | 'replaceServer'>;
    watch: Pick<ServerWatch, 'refresh'>;
  },
): void {
  const { allowlist, catalogue, pool, watch } = parts;

  /** Whether a server starts one of these programs that administrators allowed. The operator's list has precedence. */
  const starts = (aliases: readonly string[], { manifest: { connection } }: ServerManifest) =>
    connection.type === 'stdio' &&
    aliases.includes(connection.command) &&
    !Object.hasOwn(allowlist, connection.command);

  allowances.onChange(({ added, removed, addedPrograms, removedPrograms }) => {
    const { servers } = catalogue.snapshot();
    for (const server of servers.filter((one) => concerns(removed, one))) {
      // a server named in a removed entry loses its connections and calls now; a host that may be in a removed network
      // is only resolved again
      if (isNamedIn(removed, server)) void pool.dropAll(server.id);
      else pool.replaceServer(server.id);
    }
    const concerned = servers.filter((one) => concerns([...added, ...removed], one)).map(({ id }) => id);
    watch.refresh(concerned, true);
    for (const { id } of servers.filter((one) => starts(removedPrograms, one))) void pool.dropAll(id);
    const restarted = servers.filter((one) => starts([...addedPrograms, ...removedPrograms], one));
    watch.refresh(
      restarted.map(({ id }) => id),
      true,
    );
  });
}
