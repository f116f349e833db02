import { userInfo } from 'node:os';
import { readConfig } from '#platform/config.ts';
import { callOperator } from '#platform/operator/call-operator.ts';
import { creditsSetSchema } from '#operator/commands/credit-results.ts';
import { UsageError, type CliOptions, type Command, type Values } from './command.ts';

export const creditsSetCommand: Command = {
  name: 'credits set',
  summary: "sets a user's credits to a number, while Souk runs",
  usage: 'credits set --email E --credits N [--provider P] [--reason R]',
  options: {
    email: { type: 'string' },
    credits: { type: 'string' },
    provider: { type: 'string' },
    reason: { type: 'string' },
  },
  help: [
    ['--email E', 'the address of the account, which has signed in before'],
    ['--credits N', 'the new balance, a whole number; an increase never expires'],
    ['--provider P', "the account's sign-in provider (google, oidc or dev); by default those that are configured"],
    ['--reason R', 'why, for the ledger and the audit log'],
  ],
  run: setCredits,
};

async function setCredits(values: Values, { environment, stdout }: CliOptions): Promise<void> {
  const { email, credits, provider, reason } = values;
  if (typeof email !== 'string' || typeof credits !== 'string')
    throw new UsageError('--email and --credits are required');
  if (!/^\d{1,12}$/.test(credits)) throw new UsageError('--credits must be a whole number of 0 or more');
  const { dataDir } = readConfig(environment);
  const args = { email, credits: Number(credits), provider, reason, operator: userInfo().username };
  const result = creditsSetSchema.parse(await callOperator(dataDir, 'credits.set', args));
  const change = result.change < 0 ? String(result.change) : `+${result.change}`;
  stdout(`${email} has ${result.credits} credits (${change})`);
}
