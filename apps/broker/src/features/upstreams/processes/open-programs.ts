import type { Catalogue } from '#features/catalogue/index.ts';
import type { Clock } from '#platform/clock.ts';
import type { Config } from '#platform/config.ts';
import type { Log } from '#platform/log.ts';
import type { Allowances } from '../allowances/create-allowances.ts';
import { programPlaceOf } from '../secrets/secret-place.ts';
import type { ServerSecrets } from '../secrets/server-secrets.ts';
import { openMemoryGroups } from './limits/memory-groups.ts';
import type { ProgramWatch } from './limits/program-watch.ts';
import { createProgramWatch } from './limits/watch-programs.ts';
import { createPackageInstaller } from './package-installer.ts';
import type { StdioAllowlist } from './stdio-allowlist.ts';
import { createStdioPrograms, packageOf, sandboxFor, type StdioPrograms } from './stdio-programs.ts';

/** Sets up the programs that manifests may start, their sandbox, and the enforcement of their limits. */
export async function openPrograms(options: {
  allowlist: StdioAllowlist;
  allowances: Pick<Allowances, 'programs'>;
  catalogue: Pick<Catalogue, 'snapshot'>;
  entered: ServerSecrets;
  /** Contains npm's own settings; by default this process's environment. */
  environment?: NodeJS.ProcessEnv | undefined;
  config: Config;
  clock: Clock;
  log: Log;
}): Promise<{ programs: StdioPrograms; programWatch: ProgramWatch }> {
  const { allowlist, allowances, catalogue, entered, config, log } = options;
  const { dataDir, programLimits: limits } = config;
  const isEntered = (alias: string, name: string) => {
    const servers = catalogue.snapshot().servers.filter(({ manifest: { connection } }) => {
      return connection.type === 'stdio' && connection.command === alias;
    });
    const secret = { kind: 'variable', name, place: programPlaceOf(alias) } as const;
    return servers.length > 0 && servers.every(({ id }) => entered.find({ serverId: id, ...secret }) !== undefined);
  };
  const programs = createStdioPrograms({
    ...options,
    allowed: allowances.programs,
    secrets: config.upstreamSecrets,
    sandbox: await sandboxFor(allowlist, config, isEntered, log),
    packages: createPackageInstaller({
      dataDir,
      wanted: [
        ...Object.values(allowlist).flatMap(({ npm }) => npm ?? []),
        ...[...allowances.programs().values()].flatMap((program) => packageOf(program) ?? []),
      ],
      environment: options.environment ?? process.env,
      proxy: config.outgoingProxy,
      clock: options.clock,
    }),
  });
  const memoryGroups = await openMemoryGroups({ cgroup: config.programsCgroup, limits, log });
  return { programs, programWatch: createProgramWatch({ dataDir, limits, memoryGroups, log }) };
}
