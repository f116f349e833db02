import { createHash } from 'node:crypto';
import type { AllowedPackageForm } from '@souk/contract/admin/allowances.ts';
import { SoukError } from '#platform/errors.ts';
import { soundsSecret } from '../processes/stdio-allowlist.ts';
import type { AllowedProgram } from '../processes/stdio-programs.ts';

/** Options of Node that NODE_OPTIONS does not accept, and that choose what runs. */
const moreFlags = [
  '--node-options',
  '-e',
  '--eval',
  '-p',
  '--print',
  '-pe',
  '-i',
  '--interactive',
  '-c',
  '--check',
  '--test',
  '--run',
];
/** First words of variables that change what a process loads, where it finds files, or where its requests go. */
const families = new Set(
  `NODE LD DYLD NPM MALLOC GLIBC GCONV PYTHON PERL RUBY JAVA JDK GIT SSL OPENSSL ELECTRON BASH LC UV RESOLV`.split(' '),
);
/** Last words of such variables, and whole names. */
const lastWords = new Set(['OPTIONS', 'PRELOAD', 'PROXY']);
const wholeNames = new Set('PATH HOME LANG SHELL ENV IFS TMPDIR CDPATH LOCPATH NLSPATH'.split(' '));

/**
 * Checks the form of a package beyond its schema: no option of Node, no variable that changes what runs, no placeholder
 * except {personDir}, no secret. Values need no escaping, because no shell reads them.
 * @throws SoukError invalid_request with the field
 */
export function checkPackage({ args, env, secrets }: AllowedPackageForm): void {
  args.forEach((text, index) => {
    const at = `args.${index}`;
    const [option = '', value] = text.split('=', 2);
    if (isNodeFlag(option)) throw refuse(at, `${option} is an option of Node: programs here cannot have one`);
    if (
      option.startsWith('-') &&
      soundsSecret(option) &&
      (value !== undefined || args[index + 1]?.startsWith('-') === false)
    ) {
      throw refuse(at, 'sounds like a secret, and every process can read arguments: name it in secrets');
    }
    checkText(at, text);
  });
  for (const [name, value] of Object.entries(env)) {
    const at = `env.${name}`;
    checkName(at, name);
    if (secrets.includes(name)) throw refuse(at, 'is in secrets too: name it once');
    if (value !== '' && soundsSecret(name)) throw refuse(at, 'sounds like a secret: name it in secrets');
    if (URL.parse(value)?.password) throw refuse(at, 'has a password in it: name it in secrets');
    checkText(at, value);
  }
  secrets.forEach((name, index) => checkName(`secrets.${index}`, name));
}

function isNodeFlag(option: string): boolean {
  return moreFlags.includes(option) || process.allowedNodeEnvironmentFlags.has(option);
}

function checkName(at: string, name: string): void {
  const words = name.split('_');
  if (families.has(words[0] ?? '') || lastWords.has(words.at(-1) ?? '') || wholeNames.has(name))
    throw refuse(at, `${name} changes what a program loads or reaches: only the operator's list may set it`);
}

function checkText(at: string, text: string): void {
  if (/\{(?:node|package:)/.test(text))
    throw refuse(at, 'has a placeholder that only the operator’s list may use: here only {personDir} is allowed');
}

function refuse(path: string, message: string): SoukError {
  return new SoukError('invalid_request', { message: `${path} ${message}.`, issues: [{ path, message }] });
}

/** Returns a code for what is allowed: a hash of the form, the package and its dependencies. */
export function codeOf(form: AllowedPackageForm, lock: string): string {
  const { alias, package: spec, bin, args, env, secrets, network } = form;
  const variables = Object.entries(env).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const facts = JSON.stringify([alias, spec, bin ?? null, args, variables, secrets, network, lock]);
  return createHash('sha256').update(facts).digest('hex').slice(0, 32);
}

/** Returns the package as an entry of an allow-list, bound to the confirmed form and dependencies. */
export function programOf(form: AllowedPackageForm, lock: string): AllowedProgram {
  const { package: npm, bin, args, env, secrets, network } = form;
  return {
    npm,
    ...(bin !== undefined && { bin }),
    args,
    env,
    secrets,
    reads: [],
    network: network === 'public',
    allowed: { lock, place: `package:${npm} (${codeOf(form, lock).slice(0, 12)})` },
  };
}
