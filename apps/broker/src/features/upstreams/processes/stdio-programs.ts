import { openSandbox, noPrograms, type Launch, type Sandbox } from '#adapters/mcp/transports/sandbox.ts';
import { UpstreamError } from '#adapters/mcp/upstream-error.ts';
import type { Config } from '#platform/config.ts';
import type { Log } from '#platform/log.ts';
import { reservedBytes } from './limits/program-limits.ts';
import { expandCommand } from './expand-command.ts';
import type { PackageInstaller, WantedPackage } from './package-installer.ts';
import { createProgramLog, type ProgramUse } from './program-log.ts';
import type { ProgramNeeds } from '../secrets/administer-secrets.ts';
import { programPlaceOf } from '../secrets/secret-place.ts';
import type { ServerSecrets } from '../secrets/server-secrets.ts';
import { notSetText } from '../sign-in/client/operator-secrets.ts';
import { notAllowedText, secretVariable, type AllowlistEntry, type StdioAllowlist } from './stdio-allowlist.ts';

/** A package that an administrator allowed. `lock`: the hashes that it must have. `place`: what its secrets are bound to. */
export type AllowedProgram = AllowlistEntry & { allowed: { lock: string; place: string } };
type ProgramEntry = AllowlistEntry & Partial<Pick<AllowedProgram, 'allowed'>>;

export const packageOf = ({ npm, allowed }: ProgramEntry): WantedPackage | undefined =>
  npm === undefined || !allowed ? npm : { spec: npm, lock: allowed.lock };

/** Whose program it is: a secret that was entered for one server is given to no other. */
export type ProgramOf = { serverId: string; alias: string };

/** The programs that manifests may start, by alias. */
export type StdioPrograms = {
  /**
   * How to start a program whose process may write to `personDir`.
   * @throws UpstreamError not_allowed for an alias that is not on the allow-list; not_set_up with a secret or a package
   *   missing; no_sandbox, no_network
   */
  launch(of: ProgramOf, personDir: string): Launch;
  /** Whether the program could be started: it is allowed, and has all that it needs. */
  isReady(of: ProgramOf): boolean;
  /**
   * Installs the package of a program that has one. What npm says goes to the server's lines.
   * @throws UpstreamError not_set_up
   */
  prepare(serverId: string, alias: string): Promise<void>;
  stop(): Promise<void>;
  /** What a program is given in secret; undefined: it is not on the allow-list. */
  needsOf(alias: string): ProgramNeeds | undefined;
  /** What the allow-list says of a program, and whether the sandbox of this machine confines it. */
  describe(
    alias: string,
  ): { npm: string | undefined; network: AllowlistEntry['network']; confined: boolean } | undefined;
  /** Takes what a server's program wrote to stderr. @returns the lines as they are kept, without secrets */
  heard(serverId: string, alias: string, use: ProgramUse, lines: readonly string[]): string[];
  /** The last lines of a server's programs, without secrets. For the operator alone. @param uses by default all */
  linesOf(serverId: string, uses?: readonly ProgramUse[]): readonly string[];
};

export function createStdioPrograms(options: {
  allowlist: StdioAllowlist;
  /** Packages that administrators allowed, by alias. */
  allowed?: (() => ReadonlyMap<string, AllowedProgram>) | undefined;
  /** Which list that is. */
  config: Pick<Config, 'stdio' | 'stdioAllowlist'>;
  /** What the operator supplies, by variable. */
  secrets: ReadonlyMap<string, string>;
  /** What administrators entered. */
  entered: Pick<ServerSecrets, 'find' | 'valuesOf'>;
  sandbox: Sandbox;
  packages: PackageInstaller;
  log: Log;
}): StdioPrograms {
  const { allowlist, secrets, entered, sandbox, packages } = options;
  const programLog = createProgramLog(options.log);
  // the operator's list counts first
  const find = (alias: string): ProgramEntry | undefined =>
    Object.hasOwn(allowlist, alias) ? allowlist[alias] : options.allowed?.().get(alias);

  function launch(of: ProgramOf, personDir: string): Launch {
    const { alias } = of;
    const entry = find(alias);
    if (!entry) throw new UpstreamError('not_allowed', notAllowedText(alias, options.config));
    if (entry.allowed && !sandbox.confines) {
      throw new UpstreamError('no_sandbox', 'packages that administrators allowed run in bubblewrap alone');
    }
    const wanted = packageOf(entry);
    const program = wanted === undefined ? undefined : packages.find(wanted, entry.bin);
    return sandbox.wrap(expandCommand(entry, { personDir, program, secrets: secretsFor(of, entry) }));
  }

  return {
    launch,
    isReady(of) {
      try {
        launch(of, '/');
        return true;
      } catch (error) {
        if (error instanceof UpstreamError) return false;
        throw error;
      }
    },
    async prepare(serverId, alias) {
      const entry = find(alias);
      const wanted = entry && packageOf(entry);
      if (wanted === undefined || packages.isInstalled(wanted)) return;
      await packages.install(wanted).catch((error: unknown) => {
        programLog.add(serverId, 'shared', [`(${error instanceof Error ? error.message : String(error)})`], []);
        throw error;
      });
    },
    stop: packages.stop,
    describe(alias) {
      const entry = find(alias);
      return entry && { npm: entry.npm, network: entry.network, confined: sandbox.confines };
    },
    needsOf(alias) {
      const entry = find(alias);
      return entry && needsOf(alias, entry);
    },
    heard: (serverId, alias, use, lines) => programLog.add(serverId, use, lines, secretsOf(serverId, alias)),
    linesOf: programLog.read,
  };

  function secretsOf(serverId: string, alias: string): string[] {
    const set = (find(alias)?.secrets ?? []).flatMap((name) => secrets.get(secretVariable(alias, name)) ?? []);
    return [...set, ...entered.valuesOf(serverId)];
  }

  /** The operator's variable counts before what an administrator entered for this server. */
  function secretsFor({ serverId, alias }: ProgramOf, entry: ProgramEntry): Record<string, string> {
    const { names, place, variableOf } = needsOf(alias, entry);
    return Object.fromEntries(
      names.map((name) => {
        const variable = variableOf(name);
        const set = variable === null ? undefined : secrets.get(variable);
        const value = set ?? entered.find({ serverId, kind: 'variable', name, place });
        if (value === undefined) throw new UpstreamError('not_set_up', notSetText(variable, name));
        return [name, value];
      }),
    );
  }
}

/** What a program on the allow-list is given in secret. */
export function needsOf(alias: string, { secrets: names, allowed }: ProgramEntry): ProgramNeeds {
  // the operator's variable was given to what the operator's list starts, and to nothing else of the same alias
  if (allowed) return { names, place: allowed.place, variableOf: () => null };
  return { names, place: programPlaceOf(alias), variableOf: (name) => secretVariable(alias, name) };
}

/** The sandbox for these programs, and a line in the log for each that is open to the network or cannot start. */
export async function sandboxFor(
  allowlist: StdioAllowlist,
  config: Pick<Config, 'stdio' | 'production' | 'upstreamSecrets' | 'programLimits' | 'adminMayAllow'>,
  /** Whether every deployed server that starts this program has the secret by an entry of its own. */
  isEntered: (alias: string, name: string) => boolean,
  log: Log,
): Promise<Sandbox> {
  if (config.stdio === 'off') return noPrograms;
  const entries = Object.entries(allowlist);
  for (const [program, entry] of entries) {
    if (entry.network === 'host') {
      const reach = 'it can reach every port of this machine and its private network';
      log.warn({ program }, `a program has "network": "host": ${reach}. Trust it like the broker itself`);
    }
    for (const name of entry.secrets) {
      const variable = secretVariable(program, name);
      if (config.upstreamSecrets.has(variable) || isEntered(program, name)) continue;
      log.warn({ program }, `a program cannot start: ${variable} (or ${variable}_FILE) is not set`);
    }
  }
  const { folderBytes, memoryBytes } = config.programLimits;
  return openSandbox({
    limits: { fileBytes: folderBytes, dataBytes: memoryBytes + reservedBytes },
    required: config.production,
    network: config.adminMayAllow.packages || entries.some(([, { network }]) => network === true),
    log,
  });
}
