import { readClientEntry, type ClientEntry } from './client-entry.ts';
import type { FoundEntry } from './find-entries.ts';
import { oldTransportNote, readAddress } from './read-address.ts';
import { readLaunch } from './read-launch.ts';
import { isPlainSetting, withoutSecrets } from './sounds-secret.ts';
import { NotImportable, type Launch, type Look, type Target, type WantedServer } from './wanted.ts';

/** As the official MCP registry names servers: a reversed domain and a name, such as io.github.owner/name. */
const registryName = /^[a-zA-Z0-9.-]+\/([a-zA-Z0-9._-]+)$/;
const maxRegistryName = 200;

/**
 * A server of a client's configuration.
 * @throws NotImportable
 */
export function readClient({ name, entry }: FoundEntry): WantedServer {
  const given = readClientEntry(entry);
  const notes: string[] = [];
  if (given.isOff) notes.push('It is switched off in that client.');
  const target = readTarget(given, entry, notes);
  return { name, look: lookOf(name), target, notes };
}

function readTarget(given: ClientEntry, entry: Record<string, unknown>, notes: string[]): Target {
  const { url, command, args } = given;
  if (url !== undefined) return address(url, given.headers, given.type, notes);
  if (command === undefined) {
    if (entry['settings'] !== undefined) {
      throw new NotImportable('it is an extension of the editor: its settings do not say how it is started');
    }
    throw new NotImportable('it has neither a url nor a command');
  }
  const bridged = bridgedAddress(args);
  if (bridged) return address(bridged.url, bridged.headers, undefined, notes);
  return program(given, command, notes);
}

function address(url: string, headers: readonly string[], type: string | undefined, notes: string[]): Target {
  const target = readAddress(
    url,
    headers.map((name) => ({ name })),
  );
  const isOld = type === 'sse' || URL.parse(url)?.pathname.endsWith('/sse');
  if (isOld) notes.push(oldTransportNote);
  return target;
}

function program({ args, env, inherited, envFile }: ClientEntry, command: string, notes: string[]): Target {
  const launch = readLaunch(command, args);
  const kept = withoutSecretArguments(launch, notes);
  const names = [...new Set([...Object.keys(env), ...inherited])];
  const settings = names.filter((name) => isPlainSetting(name, env[name] ?? ''));
  if (envFile !== undefined) {
    notes.push(
      `Its envFile (${envFile}) is not read. Name the variables that stand in it: secrets in "secrets" of the entry, others in "env".`,
    );
  }
  return {
    kind: 'program',
    launch: kept,
    env: Object.fromEntries(settings.map((name) => [name, env[name] ?? ''])),
    secrets: names.filter((name) => !settings.includes(name)).map((name) => ({ name })),
  };
}

function withoutSecretArguments(launch: Launch, notes: string[]): Launch {
  const args = launch.kind === 'command' ? launch.argv : launch.args;
  const kept = withoutSecrets(args);
  if (kept.length < args.length) {
    notes.push(
      'Arguments that carry a secret are left out, since every process can read them: give it in a variable of "secrets".',
    );
  }
  const [filledIn] = kept.flatMap(placeholdersOf);
  if (filledIn !== undefined) {
    throw new NotImportable(`its arguments name ${filledIn}, which that client alone fills in: write its value`);
  }
  return launch.kind === 'command' ? { ...launch, argv: kept } : { ...launch, args: kept };
}

/** The `${…}` of a text, in which a client puts a value of its own. */
function placeholdersOf(text: string): string[] {
  return text
    .split('${')
    .slice(1)
    .flatMap((after) => {
      const end = after.indexOf('}');
      return end > 0 && end <= 100 ? `\${${after.slice(0, end)}}` : [];
    });
}

/** `npx mcp-remote URL --header "Name: value"` is a server over HTTP in the clothes of a program. */
function bridgedAddress(args: readonly string[]): { url: string; headers: string[] } | undefined {
  const at = args.findIndex((arg) => /^mcp-remote(@[^/]*)?$/.test(arg));
  if (at === -1) return undefined;
  const url = args.slice(at + 1).find((arg) => /^https?:\/\//.test(arg));
  const headers = args.flatMap((arg, index) =>
    args[index - 1] === '--header' ? (arg.split(':', 1)[0] ?? '').trim() : [],
  );
  return url === undefined ? undefined : { url, headers };
}

function lookOf(name: string): Look {
  const [, ofRegistry] = (name.length <= maxRegistryName && registryName.exec(name)) || [];
  return ofRegistry === undefined ? { title: name } : { title: ofRegistry, registryName: name };
}
