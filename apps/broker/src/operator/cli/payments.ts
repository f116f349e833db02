import { userInfo } from 'node:os';
import { decimalsOf } from '@souk/contract/currencies.ts';
import { readConfig } from '#platform/config.ts';
import { callOperator } from '#platform/operator/call-operator.ts';
import { carryOverShownSchema, flaggedShownSchema, paymentDecidedSchema } from '#operator/commands/billing-results.ts';
import { askBrokerOrRun, required, UsageError, type CliOptions, type Command, type Values } from './command.ts';

/** `souk payments …` and `souk grants …`: what only an operator decides about money. */
export const paymentCliCommands: readonly Command[] = [
  {
    name: 'payments flagged',
    summary: 'lists payments that are not what was ordered, while Souk runs',
    usage: 'payments flagged',
    options: {},
    help: [['', 'nothing was given for them; each is given back a week after it came']],
    run: listFlagged,
  },
  {
    name: 'payments decide',
    summary: 'gives a flagged payment back now, or leaves it as you have dealt with it, while Souk runs',
    usage: 'payments decide --order ID --as return|close',
    options: { order: { type: 'string' }, as: { type: 'string' } },
    help: [
      ['--order ID', 'of `payments flagged`'],
      ['--as return', 'its money goes back, and what it pays for ends at the payment provider'],
      ['--as close', 'it stays as it is: you have dealt with it'],
    ],
    run: decide,
  },
  {
    name: 'grants carry-over',
    summary: 'makes what administrators gave under PAYMENTS=off, when that was play money, count for good',
    usage: 'grants carry-over [--check]',
    options: { check: { type: 'boolean' } },
    help: [
      ['--check', 'lists what would be carried over, and changes nothing'],
      ['', 'only what the audit log proves was given before any payment provider was configured'],
    ],
    run: carryOver,
  },
];

async function listFlagged(_values: Values, { environment, stdout }: CliOptions): Promise<void> {
  const { flagged } = flaggedShownSchema.parse(
    await callOperator(readConfig(environment).dataDir, 'payments.flagged', {}),
  );
  if (flagged.length === 0) return stdout('No payment is flagged.');
  for (const { orderId, description, amount, currency, reason, paymentIntentId } of flagged) {
    const decimals = decimalsOf(currency);
    const price = `${(amount / 10 ** decimals).toFixed(decimals)} ${currency}`;
    stdout(`${orderId}  ${description}, ${price}: ${reason} (${paymentIntentId ?? 'payment unknown'})`);
  }
}

async function decide(values: Values, { environment, stdout }: CliOptions): Promise<void> {
  const order = required(values, 'order', 'payments decide');
  const decision = required(values, 'as', 'payments decide');
  if (decision !== 'return' && decision !== 'close') throw new UsageError('--as must be return or close');
  const answer = await callOperator(readConfig(environment).dataDir, 'payments.decide', { order, decision });
  const { orderId, status } = paymentDecidedSchema.parse(answer);
  stdout(`${orderId} is ${status}`);
}

async function carryOver(values: Values, { environment, stdout, stderr }: CliOptions): Promise<void> {
  const isCheck = values['check'] === true;
  const args = { check: isCheck, operator: userInfo().username };
  const { carried, isCertain } = carryOverShownSchema.parse(
    await askBrokerOrRun({ environment, stderr }, 'grants.carry-over', args),
  );
  for (const { email, kind, of } of carried)
    stdout(`${email}: ${kind === 'credits' ? `${of} credits` : `${kind} of ${of}`}`);
  if (!isCertain)
    return stdout('A payment provider was configured here, and nothing tells since when: nothing can be carried over.');
  const what = carried.length === 1 ? '1 grant' : `${carried.length} grants`;
  stdout(isCheck ? `${what} would be carried over` : `${what} carried over`);
}
