import { userInfo } from 'node:os';
import { creditsSetSchema, creditsShownSchema } from '#operator/commands/billing-results.ts';
import { askBrokerOrRun, UsageError, type CliOptions, type Command, type Values } from './command.ts';
import { accountHelp, accountOf, accountOptions, json, jsonHelp } from './users.ts';

/** `souk credits …`: what the administrator's screen does. */
export const creditCliCommands: readonly Command[] = [
  {
    name: 'credits show',
    summary: "shows a user's credits",
    usage: 'credits show --email E [--provider P | --id ID] [--json]',
    options: { ...accountOptions, ...json },
    help: [...accountHelp, jsonHelp],
    run: showCredits,
  },
  {
    name: 'credits set',
    summary: "sets a user's credits to a number",
    usage: 'credits set --email E --credits N [--provider P | --id ID] [--reason R] [--json]',
    options: { ...accountOptions, ...json, credits: { type: 'string' }, reason: { type: 'string' } },
    help: [
      ...accountHelp,
      ['--credits N', 'the new balance, a whole number; an increase never expires'],
      ['--reason R', 'why, for the ledger and the audit log'],
      jsonHelp,
    ],
    run: setCredits,
  },
];

async function showCredits(values: Values, { environment, stdout, stderr }: CliOptions): Promise<void> {
  const who = accountOf(values);
  const credits = creditsShownSchema.parse(await askBrokerOrRun({ environment, stderr }, 'credits.show', who));
  if (values.json === true) return stdout(JSON.stringify(credits));
  const { balance, held, debt } = credits;
  const rest = [...(held > 0 ? [`${held} held by calls`] : []), ...(debt > 0 ? [`${debt} owed`] : [])].join(', ');
  stdout(`${who.email} has ${balance} credits${rest === '' ? '' : ` (${rest})`}`);
}

async function setCredits(values: Values, { environment, stdout, stderr }: CliOptions): Promise<void> {
  const { credits, reason } = values;
  const who = accountOf(values);
  if (typeof credits !== 'string') throw new UsageError('--email and --credits are required');
  if (!/^\d{1,12}$/.test(credits)) throw new UsageError('--credits must be a whole number of 0 or more');
  const args = { ...who, credits: Number(credits), reason, operator: userInfo().username };
  const result = creditsSetSchema.parse(await askBrokerOrRun({ environment, stderr }, 'credits.set', args));
  if (values.json === true) return stdout(JSON.stringify(result));
  const change = result.change < 0 ? String(result.change) : `+${result.change}`;
  stdout(`${who.email} has ${result.credits} credits (${change})`);
}
