import {
  addressMembers,
  cwdMembers,
  headerMembers,
  describingMembers,
  programMembers,
  type ClientEntry,
} from './client-entry.ts';
import { tokenMembers, signInMembers } from './entry-sign-in.ts';
import { soundsSecret } from './sounds-secret.ts';

/** Names per note: a configuration may have any number of members. */
const maxNames = 20;

/**
 * Returns notes about members that have no equivalent here, so that nothing is dropped silently. They contain only
 * names, since values may be secrets.
 * @param signIn members from which the sign-in was read
 */
export function notesOfLeftOut(
  given: ClientEntry,
  kind: 'address' | 'program',
  signIn: readonly string[] = [],
): string[] {
  const taken = new Set([
    ...describingMembers,
    ...signIn,
    ...(kind === 'address' ? takenOfAddress(given) : takenOfProgram),
  ]);
  const others = Object.keys(given.members).filter((member) => !taken.has(member));
  const mayBeSecret = (member: string) => carriers.has(member) || soundsSecret(member);
  const secrets = others.filter(mayBeSecret).map((member) => named(member, given));
  const settings = others.filter((member) => !mayBeSecret(member));
  return [
    ...(kind === 'program' && given.cwd !== undefined ? [cwdNote] : []),
    ...(secrets.length > 0 ? [secretNote(secrets, kind)] : []),
    ...(settings.length > 0 ? [`Left out, as settings of that client: ${listed(settings)}.`] : []),
  ];
}

/** Members that may contain secrets under any name. */
const carriers: ReadonlySet<string> = new Set([
  ...headerMembers,
  ...tokenMembers,
  ...signInMembers,
  'env',
  'environment',
  'env_vars',
  'envFile',
  'args',
  'settings',
]);

const takenOfProgram = [...programMembers, ...cwdMembers];

/** Returns the members that are used for an address: the first of several addresses, and the headers. */
function takenOfAddress({ members }: ClientEntry): string[] {
  const [place] = addressMembers.filter((member) => member in members);
  return [...headerMembers, ...(place === undefined ? [] : [place])];
}

const cwdNote =
  'Its working folder is left out: here a program runs in its own folder. Use absolute paths in its arguments.';

function secretNote(names: readonly string[], kind: 'address' | 'program'): string {
  const remedy =
    kind === 'address'
      ? 'Write the header that carries it in "headers"; its value is entered here.'
      : 'Name the variable that carries it in "secrets" of the entry; its value is entered here.';
  return `Left out, though it may contain a secret: ${listed(names)}. ${remedy}`;
}

/** Names a member with the values that have to be entered again, such as `env (KEY, REGION)`. */
function named(member: string, given: ClientEntry): string {
  if (member === 'env' || member === 'environment') return `${member} (${listed(given.env.map(([name]) => name))})`;
  if (member === 'headers') return `${member} (${listed(given.headers)})`;
  return member;
}

function listed(names: readonly string[]): string {
  const short = names.slice(0, maxNames).map((name) => name.slice(0, 100));
  return names.length > maxNames ? `${short.join(', ')} and ${names.length - maxNames} more` : short.join(', ');
}
