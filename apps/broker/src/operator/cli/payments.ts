import { userInfo } from 'node:os';
import { decimalsOf, moneyText } from '@souk/contract/billing/currencies.ts';
import { totalsText } from '@souk/contract/billing/totals.ts';
import { readConfig } from '#platform/config.ts';
import { callOperator } from '#platform/operator/call-operator.ts';
import {
  flaggedShownSchema,
  paymentDecidedSchema,
  paymentRefundedSchema,
  paymentsShownSchema,
} from '#operator/commands/billing-results.ts';
import {
  askBrokerOrRun,
  ReportedError,
  required,
  UsageError,
  type CliOptions,
  type Command,
  type Values,
} from './command.ts';
import { accountHelp, accountOf, accountOptions, json, jsonHelp } from './users.ts';

/** `souk payments …`: what only an operator decides about money. */
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
    name: 'payments list',
    summary: "lists a user's payments and refunds, the newest first, 50 a page, with what can be paid back",
    usage: 'payments list --email E [--provider P | --id ID] [--cursor C] [--json]',
    options: { ...accountOptions, ...json, cursor: { type: 'string' } },
    help: [...accountHelp, ['--cursor C', 'the next page, as the page before names it'], jsonHelp],
    run: listPayments,
  },
  {
    name: 'payments refund',
    summary: 'pays a payment back, in part or whole, while Souk runs; the credits that it brought are taken back',
    usage: 'payments refund --email E --payment ID --amount A [--provider P | --id ID] [--reason R] [--json]',
    options: {
      ...accountOptions,
      ...json,
      payment: { type: 'string' },
      amount: { type: 'string' },
      reason: { type: 'string' },
    },
    help: [
      ...accountHelp,
      ['--payment ID', 'of `payments list`'],
      ['--amount A', 'in the currency of the payment, such as 4.50'],
      ['--reason R', 'why, for the audit log'],
      jsonHelp,
    ],
    run: refund,
  },
];

async function listFlagged(_values: Values, { environment, stdout }: CliOptions): Promise<void> {
  const { flagged } = flaggedShownSchema.parse(
    await callOperator(readConfig(environment).dataDir, 'payments.flagged', {}),
  );
  if (flagged.length === 0) return stdout('No payment is flagged.');
  for (const { orderId, description, amount, currency, reason, paymentIntentId } of flagged) {
    stdout(
      `${orderId}  ${description}, ${moneyText(amount, currency)}: ${reason} (${paymentIntentId ?? 'payment unknown'})`,
    );
  }
}

async function readPayments(values: Values, { environment, stderr }: CliOptions) {
  const args = { ...accountOf(values), cursor: values['cursor'], payment: values['payment'] };
  return paymentsShownSchema.parse(await askBrokerOrRun({ environment, stderr }, 'payments.list', args));
}

async function listPayments(values: Values, cli: CliOptions): Promise<void> {
  const shown = await readPayments(values, cli);
  if (values.json === true) return cli.stdout(JSON.stringify(shown));
  if (shown.payments.length === 0) cli.stdout('No payments.');
  for (const one of shown.payments) {
    const { id, createdAt, description, type, amount, currency, status, refund: back, dispute, totals } = one;
    const money = moneyText(type === 'refund' ? -amount : amount, currency);
    const left = back && back.leftCents > 0 ? `, up to ${moneyText(back.leftCents, currency)} can be paid back` : '';
    const disputed = dispute ? `, dispute: ${dispute.state}` : '';
    const how = totals ? ` (${totalsText(totals, currency)})` : '';
    cli.stdout(`${id}  ${createdAt.slice(0, 10)}  ${description}, ${money}${how}, ${status}${disputed}${left}`);
  }
  if (shown.nextCursor !== null) cli.stdout(`More: --cursor ${shown.nextCursor}`);
}

/** @throws UsageError */
async function refund(values: Values, cli: CliOptions): Promise<void> {
  const { environment, stdout, stderr } = cli;
  const who = accountOf(values);
  const payment = required(values, 'payment', 'payments refund');
  const [whole = '', part = '', ...more] = required(values, 'amount', 'payments refund').split('.');
  if (!/^\d{1,9}$/.test(whole) || !/^\d{0,3}$/.test(part) || more.length > 0)
    throw new UsageError('--amount must be an amount of money such as 4.50');
  // how many decimals there are, its currency says
  const { payments } = await readPayments({ ...who, cursor: undefined, payment }, cli);
  const found = payments.find(({ id }) => id === payment);
  if (!found) throw new UsageError('--payment must be the id of a payment of `payments list`');
  const decimals = decimalsOf(found.currency);
  if (part.length > decimals)
    throw new UsageError(`--amount has more than the ${decimals} decimals of ${found.currency}`);
  const amountCents = Number(`${whole}${part.padEnd(decimals, '0')}`);
  const args = { ...who, payment, amountCents, reason: values['reason'], operator: userInfo().username };
  const answer = paymentRefundedSchema.parse(await askBrokerOrRun({ environment, stderr }, 'payments.refund', args));
  if (values.json === true) return stdout(JSON.stringify(answer));
  const money = moneyText(answer.amountCents, answer.currency);
  if (answer.result === 'refunded')
    return stdout(`${money} was refunded; the credits follow as the provider tells of it`);
  if (answer.result === 'pending')
    return stdout(`${money} is refunded as soon as the payment provider answers, by itself`);
  stderr(`The payment provider refused: ${answer.error ?? ''}`);
  throw new ReportedError();
}

async function decide(values: Values, { environment, stdout }: CliOptions): Promise<void> {
  const order = required(values, 'order', 'payments decide');
  const decision = required(values, 'as', 'payments decide');
  if (decision !== 'return' && decision !== 'close') throw new UsageError('--as must be return or close');
  const answer = await callOperator(readConfig(environment).dataDir, 'payments.decide', { order, decision });
  const { orderId, status } = paymentDecidedSchema.parse(answer);
  stdout(`${orderId} is ${status}`);
}
