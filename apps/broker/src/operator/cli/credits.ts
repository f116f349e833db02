import { creditsSetSchema, creditsShownSchema } from '#operator/commands/billing-results.ts';
import { answeredCommand, text, UsageError, type Command } from './command.ts';
import { accountHelp, accountOf, accountOptions, decisionOf } from './users.ts';

export const creditCliCommands: readonly Command[] = [
  answeredCommand({
    name: 'credits show',
    summary: "shows a user's credits",
    usage: 'credits show --email E [--provider P | --id ID] [--json]',
    options: accountOptions,
    help: accountHelp,
    command: 'credits.show',
    answer: creditsShownSchema,
    args: accountOf,
    print({ balance, held, debt }, stdout, { values }) {
      const rest = [...(held > 0 ? [`${held} held by calls`] : []), ...(debt > 0 ? [`${debt} owed`] : [])].join(', ');
      stdout(`${values.email} has ${balance} credits${rest === '' ? '' : ` (${rest})`}`);
    },
  }),
  answeredCommand({
    name: 'credits set',
    summary: "sets a user's credits to a number",
    usage: 'credits set --email E --credits N [--provider P | --id ID] [--reason R] [--json]',
    options: { ...accountOptions, credits: text, reason: text },
    help: [
      ...accountHelp,
      ['--credits N', 'the new balance, a whole number; an increase never expires'],
      ['--reason R', 'why, for the ledger and the audit log'],
    ],
    command: 'credits.set',
    answer: creditsSetSchema,
    args(values) {
      const { credits } = values;
      const decision = decisionOf(values);
      if (typeof credits !== 'string') throw new UsageError('--email and --credits are required');
      if (!/^\d{1,12}$/.test(credits)) throw new UsageError('--credits must be a whole number of 0 or more');
      return { ...decision, credits: Number(credits) };
    },
    print({ credits, change }, stdout, { values }) {
      stdout(`${values.email} has ${credits} credits (${change < 0 ? change : `+${change}`})`);
    },
  }),
];
