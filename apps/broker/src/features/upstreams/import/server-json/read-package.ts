import { containerText, installYourself, packageNames, readVersion, registries } from '../read-launch.ts';
import { looksSecret, soundsSecret } from '../sounds-secret.ts';
import { NotImportable, type Launch, type Named, type Target } from '../wanted.ts';
import { fillInput, type Filled } from './fill-input.ts';
import type { Argument, Package } from './server-json-schema.ts';

/** Arguments with which npx and uvx are usually called. They need no note. */
const standardArguments: ReadonlySet<string> = new Set([
  '-y',
  '--yes',
  '-q',
  '--quiet',
  'run',
  'tool',
  'exec',
  'x',
  'dlx',
]);

/**
 * Reads a server that is a package of npm or PyPI with the stdio transport.
 * @param at its path in the document
 * @throws NotImportable, with what to do
 */
export function readPackage(given: Package, at: string, notes: string[]): Target {
  const { registryType, identifier, transport } = given;
  const kind = registryType.toLowerCase();
  if (kind === 'oci' || kind === 'docker') throw containerText(identifier);
  if (kind !== 'npm' && kind !== 'pypi') throw new NotImportable(otherPackage(kind, identifier));
  if (transport !== undefined && transport.type !== 'stdio') {
    const where = transport.url === undefined ? '' : ` (${transport.url})`;
    throw new NotImportable(
      `the ${registries[kind]} package ${identifier} answers over HTTP${where}: start it yourself, and import its address`,
    );
  }
  if (!packageNames[kind].test(identifier))
    throw new NotImportable(`its package ${identifier} is not a valid ${registries[kind]} name`);
  const launch: Launch = {
    kind,
    name: identifier,
    version: readVersion(kind, identifier, given.version ?? ''),
    command: commandOf(given),
    args: given.packageArguments.flatMap((argument, index) =>
      readArgument(argument, `${at}.packageArguments[${index}]`, notes),
    ),
  };
  noteRuntimeArguments(given, notes);
  return { kind: 'program', launch, ...readVariables(given, notes) };
}

function otherPackage(kind: string, identifier: string): string {
  switch (kind) {
    case 'nuget':
      return `it is a NuGet package (${identifier}), which Souk does not install. ${installYourself}`;
    case 'mcpb':
      return `it is an MCPB bundle (${identifier}), which Souk does not unpack. ${installYourself}`;
    default:
      return `Souk does not know packages of "${kind}" (${identifier}). ${installYourself}`;
  }
}

/** Returns `command` of `uvx --from package command`. */
function commandOf({ runtimeArguments }: Package): string | undefined {
  const words = wordsOf(runtimeArguments);
  const from = words.indexOf('--from');
  return from === -1 ? undefined : words[from + 2];
}

const wordsOf = (given: readonly Argument[]) =>
  given.flatMap(({ name, value }) => [name, value].filter((word) => word !== undefined));

function noteRuntimeArguments({ runtimeArguments, runtimeHint }: Package, notes: string[]): void {
  const words = wordsOf(runtimeArguments);
  const from = words.indexOf('--from');
  const others = words.filter(
    (word, index) => !standardArguments.has(word) && (from === -1 || index < from || index > from + 2),
  );
  if (others.length === 0) return;
  notes.push(
    `Left out, as arguments of its runner${runtimeHint === undefined ? '' : ` ${runtimeHint}`}: ${others.join(' ')}.`,
  );
}

function readArgument(argument: Argument, at: string, notes: string[]): string[] {
  const { name, isRepeated, isRequired, description } = argument;
  const label = name ?? argument.valueHint ?? 'argument';
  const filled = fillInput(argument);
  if (isSecret(filled, name ?? '')) {
    if (isRequired !== true) {
      notes.push(`Its argument ${label} carries a secret and is left out, since every process can read it.`);
      return [];
    }
    throw new NotImportable(
      `it takes a secret as its argument ${label}, which every process can read: ask its author for a variable. ${installYourself}`,
    );
  }
  if (filled.kind === 'missing') {
    const what = filled.what === '' ? '' : ` (${filled.what})`;
    throw new NotImportable(
      `its argument ${label} needs a value from you${what}: write it as "value" at ${at}, and paste it here`,
    );
  }
  if (isRepeated === true) notes.push(`Its argument ${label} may be repeated.`);
  if (filled.kind === 'value')
    return [...(name === undefined ? [] : [name]), ...(filled.value === '' ? [] : [filled.value])];
  if (isSwitch(argument)) return [name ?? ''];
  notes.push(
    `Its optional argument ${label} is left out${description === undefined ? '' : ` (${description.slice(0, 200)})`}.`,
  );
  return [];
}

/** Returns whether a value is a secret, even if the document contains it: our files never contain secrets. */
function isSecret(filled: Filled, name: string): boolean {
  if (filled.kind === 'secret') return true;
  if (filled.kind === 'left-out') return false;
  return soundsSecret(name) || (filled.kind === 'value' && looksSecret(filled.value));
}

/** Returns whether an argument is only a name: nothing indicates a value after it. */
function isSwitch({ name, description, format, placeholder, choices, valueHint }: Argument): boolean {
  const hasValue = [description, format, placeholder, choices, valueHint].some((field) => field !== undefined);
  return name !== undefined && !hasValue;
}

function readVariables(
  { environmentVariables }: Package,
  notes: string[],
): { env: Record<string, string>; secrets: Named[] } {
  const env: Record<string, string> = {};
  const secrets: Named[] = [];
  const wanted: string[] = [];
  const optional: string[] = [];
  for (const variable of environmentVariables) {
    const { name, description, isRequired } = variable;
    const filled = fillInput(variable);
    if (isSecret(filled, name) || (filled.kind === 'left-out' && soundsSecret(name))) {
      if (filled.kind === 'value') notes.push(`The value of its variable ${name} in the document is not imported.`);
      if (isRequired === false)
        notes.push(`Its variable ${name} is optional: take it out of "secrets" where you have no value for it.`);
      secrets.push({ name, description });
    } else if (filled.kind === 'value') env[name] = filled.value;
    else if (filled.kind === 'missing') wanted.push(filled.what === '' ? name : `${name} (${filled.what})`);
    else optional.push(name);
  }
  if (wanted.length > 0) notes.push(`Give these variables a value in "env" of the entry: ${wanted.join('; ')}.`);
  if (optional.length > 0) notes.push(`Optional variables that are left out: ${optional.join(', ')}.`);
  return { env, secrets };
}
