import { openSandbox, noPrograms, type Launch, type Sandbox } from '#adapters/mcp/transports/sandbox.ts';
import { UpstreamError } from '#adapters/mcp/upstream-error.ts';
import type { Config } from '#platform/config.ts';
import type { Log } from '#platform/log.ts';
import { expandCommand } from './expand-command.ts';
import { createProgramLog } from './program-log.ts';
import { secretVariable, type AllowlistEntry, type StdioAllowlist } from './stdio-allowlist.ts';

/** The programs that manifests may start, by alias. */
export type StdioPrograms = {
  /**
   * How to start a program whose process may write to `personDir`.
   * @throws UpstreamError refused_address for an alias that is not on the allow-list; not_set_up with a secret missing;
   *   no_sandbox, no_network
   */
  launch(alias: string, personDir: string): Launch;
  /** Takes what a server's program wrote to stderr. */
  heard(serverId: string, alias: string, lines: readonly string[]): void;
  /** The last lines of a server's programs, without secrets. For the operator alone. */
  linesOf(serverId: string): readonly string[];
};

export function createStdioPrograms(options: {
  allowlist: StdioAllowlist;
  /** What the operator supplies, by variable. */
  secrets: ReadonlyMap<string, string>;
  sandbox: Sandbox;
  log: Log;
}): StdioPrograms {
  const { allowlist, secrets, sandbox } = options;
  const programLog = createProgramLog(options.log);
  const find = (alias: string) => (Object.hasOwn(allowlist, alias) ? allowlist[alias] : undefined);
  return {
    launch(alias, personDir) {
      const entry = find(alias);
      if (!entry) throw new UpstreamError('refused_address', `the command ${alias} is not allowed here`);
      return sandbox.wrap(expandCommand(entry, { personDir, secrets: secretsFor(alias, entry) }));
    },
    heard: (serverId, alias, lines) => programLog.add(serverId, lines, secretsOf(alias)),
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
