import { userInfo } from 'node:os';
import {
  activatedSchema,
  deactivatedSchema,
  erasedSchema,
  signedOutSchema,
  userListSchema,
  type Deactivated,
  type UserList,
} from '#operator/commands/user-results.ts';
import {
  answeredCommand,
  auditReasonHelp,
  flag,
  text,
  UsageError,
  type CliOptions,
  type Command,
  type Values,
} from './command.ts';

export const accountOptions = { email: text, provider: text, id: text };
export const accountHelp = [
  ['--email E', 'the address of the account'],
  ['--provider P', "the account's sign-in provider (google, oidc or dev); by default the configured ones"],
  ['--id ID', 'the id of the account, if several have the address'],
] as const satisfies Command['help'];

const decisionOptions = { ...accountOptions, reason: text };

export const userCliCommands: readonly Command[] = [
  answeredCommand({
    name: 'user list',
    summary: 'lists users, newest first, 100 per page',
    usage: 'user list [--search TEXT] [--page N] [--json]',
    options: { search: text, page: text },
    help: [
      ['--search TEXT', 'the beginning of an e-mail address or of a word of the name'],
      ['--page N', 'the page to show; by default the first'],
    ],
    command: 'user.list',
    answer: userListSchema,
    args({ search, page }) {
      if (typeof page === 'string' && !/^[1-9]\d{0,5}$/.test(page))
        throw new UsageError('--page must be a number from 1');
      return { search, ...(typeof page === 'string' && { page: Number(page) }) };
    },
    print: printUsers,
  }),
  answeredCommand({
    name: 'user deactivate',
    summary: 'deactivates a user immediately: ends their sign-ins and running calls, and refuses their tokens',
    usage: 'user deactivate --email E [--provider P | --id ID] [--end-now] [--reason R] [--json]',
    options: { ...decisionOptions, 'end-now': flag },
    help: [
      ...accountHelp,
      ['--end-now', 'plans and rentals end now instead of at the end of their paid period'],
      auditReasonHelp,
    ],
    command: 'user.deactivate',
    answer: deactivatedSchema,
    args: (values) => ({ ...decisionOf(values), endNow: values['end-now'] === true }),
    print: printDeactivated,
  }),
  answeredCommand({
    name: 'user activate',
    summary: 'lets a deactivated user sign in again',
    usage: 'user activate --email E [--provider P | --id ID] [--reason R] [--json]',
    options: decisionOptions,
    help: [...accountHelp, auditReasonHelp],
    command: 'user.activate',
    answer: activatedSchema,
    args: decisionOf,
    print: ({ result }, stdout, { values }) =>
      stdout(result === 'activated' ? `${values.email} is activated` : `${values.email} was not deactivated`),
  }),
  answeredCommand({
    name: 'user sign-out',
    summary: 'signs a user out of every browser and disconnects their apps; they can sign in again',
    usage: 'user sign-out --email E [--provider P | --id ID] [--revoke-tokens] [--reason R] [--json]',
    options: { ...decisionOptions, 'revoke-tokens': flag },
    help: [...accountHelp, ['--revoke-tokens', 'also revoke their access tokens'], auditReasonHelp],
    command: 'user.sign-out',
    answer: signedOutSchema,
    args: (values) => ({ ...decisionOf(values), revokeTokens: values['revoke-tokens'] === true }),
    print: ({ browsers, apps, tokens }, stdout, { values }) =>
      stdout(`${values.email} is signed out: ${browsers} browsers, ${apps} apps, ${tokens} access tokens`),
  }),
  answeredCommand({
    name: 'user erase',
    summary: "deletes a user's account permanently; records of payments and credits stay, anonymized",
    usage: 'user erase --email E --confirm E [--provider P | --id ID] [--reason R] [--json]',
    options: { ...decisionOptions, confirm: text },
    help: [...accountHelp, ['--confirm E', 'the address once more'], auditReasonHelp],
    command: 'user.erase',
    answer: erasedSchema,
    args(values) {
      const decision = decisionOf(values);
      if (typeof values.confirm !== 'string') throw new UsageError('--confirm is required: the address once more');
      return { ...decision, confirm: values.confirm };
    },
    print: (_answer, stdout, { values }) => stdout(`The account of ${values.email} is deleted`),
  }),
];

/** Adds the reason and the operator's name to the account. @throws UsageError */
export function decisionOf(values: Values) {
  return { ...accountOf(values), reason: values.reason, operator: userInfo().username };
}

/** @throws UsageError */
export function accountOf({ email, provider, id }: Values) {
  if (typeof email !== 'string') throw new UsageError('--email is required');
  if (provider !== undefined && provider !== 'google' && provider !== 'oidc' && provider !== 'dev') {
    throw new UsageError('--provider must be google, oidc or dev');
  }
  return { email, provider, id };
}

function printUsers({ users, total, pages }: UserList, stdout: CliOptions['stdout']): void {
  for (const { id, email, displayName, provider, role, isActive, planId } of users) {
    const facts = [
      provider,
      planId,
      ...(role === 'admin' ? ['administrator'] : []),
      ...(isActive ? [] : ['deactivated']),
    ];
    stdout(`${id}  ${email}  ${displayName}  (${facts.join(', ')})`);
  }
  const shown = total === users.length ? '' : `, ${users.length} shown of ${pages} pages`;
  stdout(`${total === 1 ? '1 user' : `${total} users`}${shown}`);
}

function printDeactivated(
  { result, ending }: Deactivated,
  stdout: CliOptions['stdout'],
  { values: { email } }: { values: Values },
): void {
  stdout(result === 'deactivated' ? `${email} is deactivated` : `${email} was deactivated already`);
  for (const { name, endsAt, atProvider } of ending) {
    const until = endsAt === null ? '' : ` ends ${endsAt.slice(0, 10)}`;
    const pending =
      atProvider === 'pending' ? '; canceled at the payment provider as soon as Souk runs and it answers' : '';
    stdout(`  ${name}${until}${pending}`);
  }
}
