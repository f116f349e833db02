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
import { askBrokerOrRun, UsageError, type CliOptions, type Command, type Values } from './command.ts';

export const json = { json: { type: 'boolean' } } as const;
export const jsonHelp = ['--json', 'print the answer as JSON'] as const satisfies [string, string];

/** How a command names an account. */
export const accountOptions = {
  email: { type: 'string' },
  provider: { type: 'string' },
  id: { type: 'string' },
} as const;
export const accountHelp = [
  ['--email E', 'the address of the account'],
  ['--provider P', "the account's sign-in provider (google, oidc or dev); by default those that are configured"],
  ['--id ID', 'the id of the account, where several have the address'],
] as const satisfies [string, string][];

const decisionOptions = { ...accountOptions, ...json, reason: { type: 'string' } } as const;
const reasonHelp = ['--reason R', 'why, for the audit log'] as const satisfies [string, string];

/** `souk user …`: what the administrator's screen does. */
export const userCliCommands: readonly Command[] = [
  {
    name: 'user list',
    summary: 'lists users, the newest first, 100 a page',
    usage: 'user list [--search TEXT] [--page N] [--json]',
    options: { ...json, search: { type: 'string' }, page: { type: 'string' } },
    help: [
      ['--search TEXT', 'the beginning of an e-mail address or of a word of the name'],
      ['--page N', 'another page than the first'],
      jsonHelp,
    ],
    async run({ search, page, json: asJson }, { environment, stdout, stderr }) {
      if (typeof page === 'string' && !/^[1-9]\d{0,5}$/.test(page))
        throw new UsageError('--page must be a number from 1');
      const args = { search, ...(typeof page === 'string' && { page: Number(page) }) };
      const answer = userListSchema.parse(await askBrokerOrRun({ environment, stderr }, 'user.list', args));
      if (asJson === true) stdout(JSON.stringify(answer));
      else printUsers(answer, stdout);
    },
  },
  {
    name: 'user deactivate',
    summary: 'shuts a user out at once: ends their sign-ins and running calls, and refuses their tokens',
    usage: 'user deactivate --email E [--provider P | --id ID] [--end-now] [--reason R] [--json]',
    options: { ...decisionOptions, 'end-now': { type: 'boolean' } },
    help: [
      ...accountHelp,
      ['--end-now', 'plans and rentals end now instead of with their paid period'],
      reasonHelp,
      jsonHelp,
    ],
    async run(values, { environment, stdout, stderr }) {
      const args = { ...decisionOf(values), endNow: values['end-now'] === true };
      const answer = deactivatedSchema.parse(await askBrokerOrRun({ environment, stderr }, 'user.deactivate', args));
      if (values.json === true) stdout(JSON.stringify(answer));
      else printDeactivated(args.email, answer, stdout);
    },
  },
  {
    name: 'user activate',
    summary: 'lets a deactivated user sign in again',
    usage: 'user activate --email E [--provider P | --id ID] [--reason R] [--json]',
    options: decisionOptions,
    help: [...accountHelp, reasonHelp, jsonHelp],
    async run(values, { environment, stdout, stderr }) {
      const args = decisionOf(values);
      const answer = activatedSchema.parse(await askBrokerOrRun({ environment, stderr }, 'user.activate', args));
      if (values.json === true) stdout(JSON.stringify(answer));
      else stdout(answer.result === 'activated' ? `${args.email} is activated` : `${args.email} was not deactivated`);
    },
  },
  {
    name: 'user sign-out',
    summary: 'signs a user out of every browser and disconnects their apps; they can sign in again',
    usage: 'user sign-out --email E [--provider P | --id ID] [--revoke-tokens] [--reason R] [--json]',
    options: { ...decisionOptions, 'revoke-tokens': { type: 'boolean' } },
    help: [...accountHelp, ['--revoke-tokens', 'their access tokens are revoked too'], reasonHelp, jsonHelp],
    async run(values, { environment, stdout, stderr }) {
      const args = { ...decisionOf(values), revokeTokens: values['revoke-tokens'] === true };
      const answer = signedOutSchema.parse(await askBrokerOrRun({ environment, stderr }, 'user.sign-out', args));
      if (values.json === true) return stdout(JSON.stringify(answer));
      const { browsers, apps, tokens } = answer;
      stdout(`${args.email} is signed out: ${browsers} browsers, ${apps} apps, ${tokens} access tokens`);
    },
  },
  {
    name: 'user erase',
    summary: "deletes a user's account for good; records of payments and credits stay, anonymized",
    usage: 'user erase --email E --confirm E [--provider P | --id ID] [--reason R] [--json]',
    options: { ...decisionOptions, confirm: { type: 'string' } },
    help: [...accountHelp, ['--confirm E', 'the address once more'], reasonHelp, jsonHelp],
    async run(values, { environment, stdout, stderr }) {
      const args = decisionOf(values);
      if (typeof values.confirm !== 'string') throw new UsageError('--confirm is required: the address once more');
      const answer = erasedSchema.parse(
        await askBrokerOrRun({ environment, stderr }, 'user.erase', { ...args, confirm: values.confirm }),
      );
      stdout(values.json === true ? JSON.stringify(answer) : `The account of ${args.email} is deleted`);
    },
  },
];

function decisionOf({ email, provider, id, reason }: Values) {
  return { ...accountOf({ email, provider, id }), reason, operator: userInfo().username };
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

function printDeactivated(email: string, { result, ending }: Deactivated, stdout: CliOptions['stdout']): void {
  stdout(result === 'deactivated' ? `${email} is deactivated` : `${email} was deactivated already`);
  for (const { name, endsAt, atProvider } of ending) {
    const until = endsAt === null ? '' : ` ends ${endsAt.slice(0, 10)}`;
    const pending =
      atProvider === 'pending' ? '; the payment provider is told as soon as Souk runs and it answers' : '';
    stdout(`  ${name}${until}${pending}`);
  }
}
