import { NotImportable, type Launch, type PackageVersion } from './wanted.ts';

export const installYourself =
  'Install it on this machine, and add an entry with "argv" for it to the allow-list of programs (docs/stdio.md)';

export const packageNames = {
  npm: /^(?:@[a-z0-9][a-z0-9._-]{0,99}\/)?[a-z0-9][a-z0-9._-]{0,99}$/,
  pypi: /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,98}[A-Za-z0-9])?(?:\[[A-Za-z0-9,._-]{1,99}\])?$/,
} as const;
const exact = {
  npm: /^\d{1,9}\.\d{1,9}\.\d{1,9}(?:[-+][0-9A-Za-z.+-]{1,99})?$/,
  pypi: /^\d[0-9A-Za-z.!+_-]{0,99}$/,
} as const;

/** Subcommands with which npm and similar tools run a package, such as `npm exec`. */
const npmRunners: Readonly<Record<string, readonly string[]>> = {
  npx: [],
  bunx: [],
  npm: ['exec', 'x'],
  pnpm: ['dlx', 'exec'],
  yarn: ['dlx'],
  bun: ['x'],
};
const pythonRunners: Readonly<Record<string, readonly string[]>> = { uvx: [], uv: ['tool run'], pipx: ['run'] };

/**
 * Returns what a command line starts: a package of npm or PyPI if the command is one of their runners, else the line
 * itself.
 * @throws NotImportable for containers, git repositories, archives and version ranges, with what to do
 */
export function readLaunch(command: string, args: readonly string[]): Launch {
  const runner = programName(command);
  // Windows starts npx this way
  if (runner === 'cmd' && args[0]?.toLowerCase() === '/c' && args[1] !== undefined)
    return readLaunch(args[1], args.slice(2));
  if (runner === 'docker' || runner === 'podman') throw containerText(imageOf(args));
  const ofNpm = npmRunners[runner];
  const ofPython = pythonRunners[runner];
  const found = ofNpm ? ofRunner('npm', ofNpm, args) : ofPython && ofRunner('pypi', ofPython, args);
  return found ?? { kind: 'command', argv: [command, ...args] };
}

/** Returns the name of a program without its folder and Windows extensions. */
export const programName = (command: string) =>
  (command.split(/[/\\]/).at(-1) ?? '').toLowerCase().replace(/\.(?:cmd|exe|ps1)$/, '');

function ofRunner(kind: 'npm' | 'pypi', words: readonly string[], args: readonly string[]): Launch | undefined {
  const word = words.find((one) => one === args.slice(0, one.split(' ').length).join(' '));
  if (words.length > 0 && word === undefined) return undefined;
  let rest = args.slice(word === undefined ? 0 : word.split(' ').length);
  let named: string | undefined;
  while (rest[0]?.startsWith('-') && rest[0] !== '--') {
    const [option = '', value] = rest[0].split('=', 2);
    rest = rest.slice(1);
    if (['-p', '--package', '--from', '--spec'].includes(option)) {
      named = value ?? rest[0];
      if (value === undefined) rest = rest.slice(1);
    } else if (['--with', '--python', '--index-url', '--default-index'].includes(option) && value === undefined) {
      rest = rest.slice(1);
    }
  }
  if (rest[0] === '--') rest = rest.slice(1);
  const [first, ...more] = rest;
  const spec = named ?? first;
  if (spec === undefined) return undefined;
  const command = named === undefined ? undefined : first;
  return { kind, ...readSpec(kind, spec), command, args: more[0] === '--' && kind === 'npm' ? more.slice(1) : more };
}

const maxSpecCharacters = 500;

/** @throws NotImportable for a package from elsewhere than the registry, and for a range of versions */
function readSpec(kind: 'npm' | 'pypi', spec: string): { name: string; version: PackageVersion } {
  // package names are shorter, and the patterns below need short texts
  if (spec.length > maxSpecCharacters)
    throw new NotImportable(`the name of its package is longer than ${maxSpecCharacters} characters`);
  refuseElsewhere(kind, spec);
  const at = kind === 'pypi' && spec.includes('==') ? spec.indexOf('==') : spec.indexOf('@', 1);
  const name = (at === -1 ? spec : spec.slice(0, at)).trim();
  const wanted = at === -1 ? '' : spec.slice(at + (spec[at] === '=' ? 2 : 1)).trim();
  if (!packageNames[kind].test(name))
    throw new NotImportable(`its package ${spec} is not a valid ${registries[kind]} name`);
  return { name, version: readVersion(kind, name, wanted) };
}

/** @throws NotImportable for a range */
export function readVersion(kind: 'npm' | 'pypi', name: string, wanted: string): PackageVersion {
  if (wanted === '') return { tag: 'latest' };
  if (exact[kind].test(wanted) && !wanted.includes('*')) return { exact: wanted };
  if (/^[A-Za-z][\w-]{0,49}$/.test(wanted) && wanted !== 'x') return { tag: wanted };
  throw new NotImportable(
    `its version ${wanted} is a range: write an exact one, such as ${name}${kind === 'npm' ? '@' : '=='}1.2.3`,
  );
}

export const registries = { npm: 'npm', pypi: 'PyPI' } as const;

function isRepository(spec: string): boolean {
  const isOfHost = /^(?:github|gitlab|bitbucket|gist):|^git[+:@]/.test(spec);
  return isOfHost || spec.endsWith('.git') || spec.includes('.git#') || spec.includes('.git@');
}

function refuseElsewhere(kind: 'npm' | 'pypi', spec: string): void {
  const taken = `Souk accepts packages from ${registries[kind]} at an exact version. ${installYourself}`;
  const isShort = kind === 'npm' && /^[\w.-]+\/[\w.-]+(?:#.*)?$/.test(spec) && !/^\.{1,2}\//.test(spec);
  if (isRepository(spec) || isShort) {
    throw new NotImportable(`its package ${spec} is the code of a git repository. ${taken}`);
  }
  if (/^https?:/.test(spec) || /\.(?:tgz|tar\.gz|zip|whl)$/.test(spec)) {
    throw new NotImportable(`its package ${spec} is an archive at an address. ${taken}`);
  }
  if (/^(?:file:|\.{0,2}\/|~\/|[A-Za-z]:[\\/])/.test(spec)) {
    throw new NotImportable(`its package ${spec} is a folder on the machine where it was configured. ${taken}`);
  }
}

export function containerText(image: string | undefined): NotImportable {
  const what = image === undefined ? 'it is a container' : `it is a container image (${image})`;
  return new NotImportable(
    `${what}: Souk starts no containers. Run it yourself so that it answers over HTTP, and import its address`,
  );
}

const withValue = new Set(
  '-e --env --env-file -v --volume --mount -p --publish --name --network --user -u -w --workdir --entrypoint --platform'.split(
    ' ',
  ),
);

/** Returns the first word after `run` that is neither an option nor the value of one. */
function imageOf(args: readonly string[]): string | undefined {
  const rest = args.slice(args.indexOf('run') + 1);
  for (let index = 0; index < rest.length; index++) {
    const word = rest[index] ?? '';
    if (!word.startsWith('-')) return word;
    if (withValue.has(word)) index++;
  }
  return undefined;
}
