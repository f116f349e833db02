import { readBridge, type Bridge } from './bridge.ts';
import { readClientEntry, type ClientEntry } from './client-entry.ts';
import { readSignIn, type SignIn } from './entry-sign-in.ts';
import type { FoundEntry } from './find-entries.ts';
import { notesOfLeftOut } from './left-out.ts';
import { oldTransportNote, readAddress } from './read-address.ts';
import { programName, readLaunch } from './read-launch.ts';
import { isPlainSetting, withoutSecrets } from './sounds-secret.ts';
import { NotImportable, type Launch, type Look, type Target, type WantedServer } from './wanted.ts';

/** Names in the official MCP registry: a reversed domain and a name, such as io.github.owner/name. */
const registryName = /^[a-zA-Z0-9.-]+\/([a-zA-Z0-9._-]+)$/;
const maxRegistryName = 200;

/** Reads a server of a client's configuration. @throws NotImportable */
export function readClient({ name, entry }: FoundEntry): WantedServer {
  const given = readClientEntry(entry);
  const notes: string[] = [];
  if (given.isOff) notes.push('It is switched off in that client.');
  const target = readTarget(given, notes);
  return { name, look: lookOf(name, given), target, notes };
}

function readTarget(given: ClientEntry, notes: string[]): Target {
  const { url, command } = given;
  if (url !== undefined) {
    const signIn = readSignIn(given.members);
    const target = addressTarget(url, given, signIn, notes);
    notes.push(...notesOfLeftOut(given, 'address', signIn.members));
    return target;
  }
  if (command === undefined) {
    if (given.members['settings'] !== undefined) {
      throw new NotImportable('it is an extension of the editor: its settings do not say how it is started');
    }
    throw new NotImportable('it has neither a url nor a command');
  }
  const bridge = readBridge(given);
  const target = bridge ? bridgeTarget(bridge, notes) : programTarget(given, command, notes);
  if (given.envFile !== undefined) notes.push(envFileNote(given.envFile, bridge !== undefined));
  notes.push(...notesOfLeftOut(given, 'program'));
  return target;
}

function addressTarget(url: string, given: ClientEntry, signIn: SignIn, notes: string[]): Target {
  const names = signIn.kind === 'header' ? [...given.headers, signIn.name] : given.headers;
  const target = readAddress(url, names.map(asNamed));
  if (given.type === 'sse' || URL.parse(url)?.pathname.endsWith('/sse')) notes.push(oldTransportNote);
  if (signIn.kind === 'header' && signIn.form !== undefined) {
    notes.push(`The value of its header ${signIn.name} has this form: ${forms[signIn.form]}`);
  }
  return signIn.kind === 'oauth' ? withUserSignIn(target, signIn.scopes, signIn.client, notes) : target;
}

const asNamed = (name: string) => ({ name });
const forms = { Bearer: 'Bearer, a space and the token', Basic: 'Basic, a space and name:password in base64' };

/** Adds a sign-in of users to a target. A manifest has either a sign-in or headers. */
function withUserSignIn(target: Target, scopes: string[], client: readonly string[], notes: string[]): Target {
  if (target.kind !== 'address') return target;
  if (target.headers.length > 0) {
    notes.push('Its sign-in (OAuth) is left out, since it has headers: a manifest has either.');
    return target;
  }
  if (client.length > 0) {
    notes.push(
      `Left out: ${client.join(', ')}. That client was registered for another address. Souk registers its own.`,
    );
  }
  return { ...target, signIn: scopes.length > 0 ? { scopes } : {} };
}

function bridgeTarget({ url, headers, isOld, signsIn, notes: own }: Bridge, notes: string[]): Target {
  const target = readAddress(url, headers.map(asNamed));
  if (isOld || URL.parse(url)?.pathname.endsWith('/sse')) notes.push(oldTransportNote);
  notes.push(...own);
  return signsIn ? withUserSignIn(target, [], [], notes) : target;
}

function programTarget({ args, env: given, inherited }: ClientEntry, command: string, notes: string[]): Target {
  const launch = readLaunch(command, args);
  const kept = withoutSecretArguments(launch, notes);
  const env = new Map(given);
  for (const name of inherited) if (!env.has(name)) env.set(name, '');
  const names = [...env.keys()];
  const isPlain = (name: string) => isPlainSetting(name, env.get(name) ?? '');
  return {
    kind: 'program',
    launch: kept,
    env: Object.fromEntries(names.filter(isPlain).map((name) => [name, env.get(name) ?? ''])),
    secrets: names.filter((name) => !isPlain(name)).map(asNamed),
  };
}

function envFileNote(path: string, isAddress: boolean): string {
  const said = `Its envFile (${path}) is not read.`;
  if (isAddress) return `${said} Enter the values of its headers here.`;
  return `${said} Name the variables in it: secrets in "secrets" of the entry, others in "env".`;
}

function withoutSecretArguments(launch: Launch, notes: string[]): Launch {
  const [command, ...own] = launch.kind === 'command' ? launch.argv : [];
  const args = launch.kind === 'command' ? own : launch.args;
  const kept = withoutSecrets(args);
  if (kept.length < args.length) {
    if (command !== undefined && isShell(command)) {
      throw new NotImportable(
        'its shell command contains a secret: write the program as "command" and "args", and the secret in "env"',
      );
    }
    notes.push(
      'Arguments that carry a secret are left out, since every process can read them: give it in a variable of "secrets".',
    );
  }
  const [placeholder] = kept.flatMap(placeholdersOf);
  if (placeholder !== undefined) {
    throw new NotImportable(
      `its arguments name ${placeholder}, which only that client fills in: write the value instead`,
    );
  }
  return launch.kind === 'command' ? { ...launch, argv: [command ?? '', ...kept] } : { ...launch, args: kept };
}

const isShell = (command: string) => /^(?:ba|da|z|fi|k)?sh$|^cmd$|^powershell$|^pwsh$/i.test(programName(command));

/** Returns the `${…}` of a text, which a client replaces with its own values. */
function placeholdersOf(text: string): string[] {
  return text
    .split('${')
    .slice(1)
    .flatMap((after) => {
      const end = after.indexOf('}');
      return end > 0 && end <= 100 ? `\${${after.slice(0, end)}}` : [];
    });
}

function lookOf(name: string, { title, description }: ClientEntry): Look {
  const [, ofRegistry] = (name.length <= maxRegistryName && registryName.exec(name)) || [];
  const look = { title: title ?? ofRegistry ?? name, description };
  return ofRegistry === undefined ? look : { ...look, registryName: name };
}
