import { userInfo } from 'node:os';
import { z } from 'zod';
import { askBrokerOrRun, text, UsageError, type CliOptions, type Command, type Values } from './command.ts';

const tokenSchema = z.object({ token: z.string() });
const daysSchema = z.coerce.number().int().min(1).max(366);

export const tokenCliCommand: Command = {
  name: 'token create',
  summary: 'creates a personal access token and prints only the token on standard output',
  usage: 'token create --email E --name N [--provider P] [--expires-days D] [--scopes S]',
  options: { email: text, name: text, provider: text, 'expires-days': text, scopes: text },
  help: [
    ['--email E', 'the owner of the token; while the demo sign-in is active, a missing user is created'],
    ['--name N', 'the name of the token in the list of tokens'],
    ['--provider P', "the user's sign-in provider (google or oidc); required unless the demo sign-in is active"],
    ['--expires-days D', "days until it expires, 1 to 366; by default the broker's setting"],
    ['--scopes S', "scopes, separated by commas; by default the broker's setting"],
  ],
  run: createToken,
};

async function createToken(values: Values, cli: CliOptions): Promise<void> {
  const { email, name, provider, scopes } = values;
  if (typeof email !== 'string' || typeof name !== 'string') throw new UsageError('--email and --name are required');
  const days = values['expires-days'] === undefined ? undefined : daysSchema.safeParse(values['expires-days']);
  if (days && !days.success) throw new UsageError('--expires-days must be a whole number from 1 to 366');
  const args = {
    email,
    name,
    provider,
    expiresInDays: days?.data,
    scopes: typeof scopes === 'string' ? scopes.split(',').map((scope) => scope.trim()) : undefined,
    operator: userInfo().username,
  };
  cli.stdout((await askBrokerOrRun(cli, tokenSchema, 'token.create', args)).token);
}
