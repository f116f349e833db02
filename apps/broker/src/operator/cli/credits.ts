import { userInfo } from 'node:os';
import { readConfig } from '#platform/config.ts';
import { callOperator } from '#platform/operator/call-operator.ts';
import { creditsSetSchema } from '#operator/commands/credit-results.ts';
import { accountHelp, accountOf, accountOptions } from './users.ts';
import { UsageError, type CliOptions, type Command, type Values } from './command.ts';

export const creditsSetCommand: Command = {
  name: 'credits set',
  summary: "sets a user's credits to a number, while Souk runs",
  usage: 'credits set --email E --credits N [--provider P | --id ID] [--reason R] [--json]',
  options: {
    ...accountOptions,
    credits: { type: 'string' },
    reason: { type: 'string' },
    json: { type: 'boolean' },
  },
  help: [
    ...accountHelp,
    ['--credits N', 'the new balance, a whole number; an increase never expires'],
    ['--reason R', 'why, for the ledger and the audit log'],
    ['--json', 'print the answer as JSON'],
  ],
  run: setCredits,
};

async function setCredits(values: Values, { environment, stdout }: CliOptions): Promise<void> {
  const { email, credits, reason } = values;
  if (typeof email !== 'string' || typeof credits !== 'string')
    throw new UsageError('--email and --credits are required');
  if (!/^\d{1,12}$/.test(credits)) throw new UsageError('--credits must be a whole number of 0 or more');
  const { dataDir } = readConfig(environment);
  const args = { ...accountOf(values), credits: Number(credits), reason, operator: userInfo().username };
  const result = creditsSetSchema.parse(await callOperator(dataDir, 'credits.set', args));
  if (values.json === true) return stdout(JSON.stringify(result));
  const change = result.change < 0 ? String(result.change) : `+${result.change}`;
  stdout(`${email} has ${result.credits} credits (${change})`);
}
