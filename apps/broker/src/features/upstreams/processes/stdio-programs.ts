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

/** A package that an administrator allowed. `lock`: its required hashes. `place`: what its secrets are bound to. */
export type AllowedProgram = AllowlistEntry & { allowed: { lock: string; place: string } };
type ProgramEntry = AllowlistEntry & Partial<Pick<AllowedProgram, 'allowed'>>;

export const packageOf = ({ npm, allowed }: ProgramEntry): WantedPackage | undefined =>
  npm === undefined || !allowed ? npm : { spec: npm, lock: allowed.lock };

/** A program and its server. A secret entered for one server is not passed to another. */
export type ProgramOf = { serverId: string; alias: string };

/** The programs that manifests may start, by alias. */
export function createStdioPrograms(options: {
  allowlist: StdioAllowlist;
  /** Packages that administrators allowed, by alias. */
  allowed?: (() => ReadonlyMap<string, AllowedProgram>) | undefined;
  /** Configuration, for errors that name the list. */
  config: Pick<Config, 'stdio' | 'stdioAllowlist'>;
  /** Values that the operator supplies, by variable. */
  secrets: ReadonlyMap<string, string>;
  entered: Pick<ServerSecrets, 'find' | 'valuesOf'>;
  sandbox: Sandbox;
  packages: PackageInstaller;
  log: Log;
}) {
  const { allowlist, secrets, entered, sandbox, packages } = options;
  const programLog = createProgramLog(options.log);
  // the operator's list has precedence
  const find = (alias: string): ProgramEntry | undefined =>
    Object.hasOwn(allowlist, alias) ? allowlist[alias] : options.allowed?.().get(alias);

  function launch(of: ProgramOf, personDir: string): Launch {
    const { alias } = of;
    const entry = find(alias);
    if (!entry) throw new UpstreamError('not_allowed', notAllowedText(alias, options.config));
    if (entry.allowed && !sandbox.confines) {
      throw new UpstreamError('no_sandbox', 'packages that administrators allowed run only in bubblewrap');
    }
    const wanted = packageOf(entry);
    const program = wanted === undefined ? undefined : packages.find(wanted, entry.bin);
    return sandbox.wrap(expandCommand(entry, { personDir, program, secrets: secretsFor(of, entry) }));
  }

  return {
    /**
     * Returns how to start a program whose process may write to `personDir`.
     * @throws UpstreamError not_allowed for an alias that is not on the allow-list; not_set_up when a secret or a package is
     *   missing; no_sandbox, no_network
     */
    launch,
    /** Returns whether the program could be started: it is allowed, and nothing that it needs is missing. */
    isReady(of: ProgramOf): boolean {
      try {
        launch(of, '/');
        return true;
      } catch (error) {
        if (error instanceof UpstreamError) return false;
        throw error;
      }
    },
    /**
     * Installs the package of a program, if it has one. A failure is recorded among the server's lines.
     * @throws UpstreamError not_set_up
     */
    async prepare(serverId: string, alias: string): Promise<void> {
      const entry = find(alias);
      const wanted = entry && packageOf(entry);
      if (wanted === undefined || packages.isInstalled(wanted)) return;
      await packages.install(wanted).catch((error: unknown) => {
        programLog.add(serverId, 'shared', [`(${error instanceof Error ? error.message : String(error)})`], []);
        throw error;
      });
    },
    stop: packages.stop,
    describe(alias: string) {
      const entry = find(alias);
      return entry && { npm: entry.npm, network: entry.network, confined: sandbox.confines };
    },
    /** Returns the secrets that a program gets; undefined if it is not on the allow-list. */
    needsOf(alias: string): ProgramNeeds | undefined {
      const entry = find(alias);
      return entry && needsOf(alias, entry);
    },
    /** Records what a server's program wrote to stderr. @returns the lines as recorded, without secrets */
    heard: (serverId: string, alias: string, use: ProgramUse, lines: readonly string[]): string[] =>
      programLog.add(serverId, use, lines, secretsOf(serverId, alias)),
    /** Returns the last lines of a server's programs, without secrets, for the operator alone. @param uses by default all */
    linesOf: programLog.read,
  };

  function secretsOf(serverId: string, alias: string): string[] {
    const set = (find(alias)?.secrets ?? []).flatMap((name) => secrets.get(secretVariable(alias, name)) ?? []);
    return [...set, ...entered.valuesOf(serverId)];
  }

  /** Returns the values of a program's secrets. The operator's variable has precedence over an administrator's entry. */
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

export type StdioPrograms = ReturnType<typeof createStdioPrograms>;

export function needsOf(alias: string, { secrets: names, allowed }: ProgramEntry): ProgramNeeds {
  // the operator's variable is only for the program of the operator's list, not for another with the same alias
  if (allowed) return { names, place: allowed.place, variableOf: () => null };
  return { names, place: programPlaceOf(alias), variableOf: (name) => secretVariable(alias, name) };
}

/** Opens the sandbox for these programs, and warns of each that can reach this machine's network or cannot start. */
export async function sandboxFor(
  allowlist: StdioAllowlist,
  config: Pick<Config, 'stdio' | 'production' | 'upstreamSecrets' | 'programLimits' | 'adminMayAllow'>,
  /** Whether the secret was entered for every deployed server, and at least one, that starts this program. */
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
