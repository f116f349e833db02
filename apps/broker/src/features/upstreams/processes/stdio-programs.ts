import { openSandbox, noPrograms, type Launch, type Sandbox } from '#adapters/mcp/transports/sandbox.ts';
import { UpstreamError } from '#adapters/mcp/upstream-error.ts';
import type { Config } from '#platform/config.ts';
import type { Log } from '#platform/log.ts';
import { expandCommand } from './expand-command.ts';
import type { PackageInstaller } from './package-installer.ts';
import { createProgramLog, type ProgramUse } from './program-log.ts';
import { secretVariable, type AllowlistEntry, type StdioAllowlist } from './stdio-allowlist.ts';

/** The programs that manifests may start, by alias. */
export type StdioPrograms = {
  /**
   * How to start a program whose process may write to `personDir`.
   * @throws UpstreamError refused_address for an alias that is not on the allow-list; not_set_up with a secret missing;
   *   no_sandbox, no_network
   */
  launch(alias: string, personDir: string): Launch;
  /** Whether everything that the program needs on disk is there. */
  isReady(alias: string): boolean;
  /**
   * Installs the package of a program that has one. What npm says goes to the server's lines.
   * @throws UpstreamError not_set_up
   */
  prepare(serverId: string, alias: string): Promise<void>;
  stop(): Promise<void>;
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
  /** What the operator supplies, by variable. */
  secrets: ReadonlyMap<string, string>;
  sandbox: Sandbox;
  packages: PackageInstaller;
  log: Log;
}): StdioPrograms {
  const { allowlist, secrets, sandbox, packages } = options;
  const programLog = createProgramLog(options.log);
  const find = (alias: string) => (Object.hasOwn(allowlist, alias) ? allowlist[alias] : undefined);
  return {
    launch(alias, personDir) {
      const entry = find(alias);
      if (!entry) throw new UpstreamError('refused_address', `the command ${alias} is not allowed here`);
      const program = entry.npm === undefined ? undefined : packages.find(entry.npm, entry.bin);
      return sandbox.wrap(expandCommand(entry, { personDir, program, secrets: secretsFor(alias, entry) }));
    },
    isReady(alias) {
      const npm = find(alias)?.npm;
      return npm === undefined || packages.isInstalled(npm);
    },
    async prepare(serverId, alias) {
      const npm = find(alias)?.npm;
      if (npm === undefined || packages.isInstalled(npm)) return;
      await packages.install(npm).catch((error: unknown) => {
        programLog.add(serverId, 'shared', [`(${error instanceof Error ? error.message : String(error)})`], []);
        throw error;
      });
    },
    stop: packages.stop,
    describe(alias) {
      const entry = find(alias);
      return entry && { npm: entry.npm, network: entry.network, confined: sandbox.confines };
    },
    heard: (serverId, alias, use, lines) => programLog.add(serverId, use, lines, secretsOf(alias)),
    linesOf: programLog.read,
  };

  function secretsOf(alias: string): string[] {
    return (find(alias)?.secrets ?? []).flatMap((name) => secrets.get(secretVariable(alias, name)) ?? []);
  }

  function secretsFor(alias: string, entry: AllowlistEntry): Record<string, string> {
    return Object.fromEntries(
      entry.secrets.map((name) => {
        const variable = secretVariable(alias, name);
        const value = secrets.get(variable);
        if (value === undefined) throw new UpstreamError('not_set_up', `${variable} is not set`);
        return [name, value];
      }),
    );
  }
}

/** The sandbox for these programs, and a line in the log for each that is open to the network or cannot start. */
export async function sandboxFor(
  allowlist: StdioAllowlist,
  config: Pick<Config, 'stdio' | 'production' | 'upstreamSecrets'>,
  log: Log,
): Promise<Sandbox> {
  if (config.stdio === 'off') return noPrograms;
  const entries = Object.entries(allowlist);
  for (const [program, entry] of entries) {
    if (entry.network === 'host') {
      const reach = 'it can reach every port of this machine and its private network';
      log.warn({ program }, `a program has "network": "host": ${reach}. Trust it like the broker itself`);
    }
    const missing = entry.secrets.map((name) => secretVariable(program, name));
    for (const variable of missing.filter((name) => !config.upstreamSecrets.has(name))) {
      log.warn({ program }, `a program cannot start: ${variable} (or ${variable}_FILE) is not set`);
    }
  }
  return openSandbox({
    required: config.production,
    network: entries.some(([, { network }]) => network === true),
    log,
  });
}
