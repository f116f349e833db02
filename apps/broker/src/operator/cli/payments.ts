import { userInfo } from 'node:os';
import { decimalsOf, moneyText } from '@souk/contract/billing/currencies.ts';
import { totalsText } from '@souk/contract/billing/totals.ts';
import {
  flaggedShownSchema,
  paymentDecidedSchema,
  paymentRefundedSchema,
  paymentsShownSchema,
  type PaymentsShown,
} from '#operator/commands/billing-results.ts';
import {
  answeredCommand,
  askBroker,
  askBrokerOrRun,
  auditReasonHelp,
  required,
  text,
  UsageError,
  type CliOptions,
  type Command,
  type Values,
} from './command.ts';
import { accountHelp, accountOf, accountOptions } from './users.ts';

/** `souk payments …`: decisions about money that only an operator takes. */
export const paymentCliCommands: readonly Command[] = [
  {
    name: 'payments flagged',
    summary: 'lists payments that differ from their order; requires a running broker',
    usage: 'payments flagged',
    help: [['', 'nothing was delivered for them; each is refunded a week after it arrived']],
    run: listFlagged,
  },
  {
    name: 'payments decide',
    summary: 'refunds a flagged payment now, or closes it because you have dealt with it; requires a running broker',
    usage: 'payments decide --order ID --as return|close',
    options: { order: text, as: text },
    help: [
      ['--order ID', 'an id that `payments flagged` printed'],
      ['--as return', 'the payment is refunded, and what it pays for ends at the payment provider'],
      ['--as close', 'the payment stays as it is: you have dealt with it'],
    ],
    run: decide,
  },
  answeredCommand({
    name: 'payments list',
    summary: "lists a user's payments and refunds with their refundable amounts, newest first, 50 per page",
    usage: 'payments list --email E [--provider P | --id ID] [--cursor C] [--json]',
    options: { ...accountOptions, cursor: text },
    help: [...accountHelp, ['--cursor C', 'the cursor that the previous page printed']],
    command: 'payments.list',
    answer: paymentsShownSchema,
    args: (values) => ({ ...accountOf(values), cursor: values['cursor'] }),
    print: printPayments,
  }),
  answeredCommand({
    name: 'payments refund',
    summary: 'refunds a payment, in part or in full, and claws back the credits it granted; requires a running broker',
    usage: 'payments refund --email E --payment ID --amount A [--provider P | --id ID] [--reason R] [--json]',
    options: { ...accountOptions, payment: text, amount: text, reason: text },
    help: [
      ...accountHelp,
      ['--payment ID', 'an id that `payments list` printed'],
      ['--amount A', 'in the currency of the payment, such as 4.50'],
      auditReasonHelp,
    ],
    command: 'payments.refund',
    answer: paymentRefundedSchema,
    args: refundOf,
    print({ amountCents, currency, result, error }, stdout, { stderr }) {
      const money = moneyText(amountCents, currency);
      if (result === 'refunded') stdout(`${money} was refunded; the credits follow once the provider reports it`);
      else if (result === 'pending')
        stdout(`${money} will be refunded automatically as soon as the payment provider answers`);
      else stderr(`The payment provider refused: ${error ?? ''}`);
    },
    hasFailed: ({ result }) => result !== 'refunded' && result !== 'pending',
  }),
];

async function listFlagged(_values: Values, cli: CliOptions): Promise<void> {
  const { flagged } = await askBroker(cli, flaggedShownSchema, 'payments.flagged');
  if (flagged.length === 0) return cli.stdout('No payment is flagged.');
  for (const { orderId, description, amount, currency, reason, paymentIntentId } of flagged) {
    cli.stdout(
      `${orderId}  ${description}, ${moneyText(amount, currency)}: ${reason} (${paymentIntentId ?? 'payment unknown'})`,
    );
  }
}

function printPayments({ payments, nextCursor }: PaymentsShown, stdout: CliOptions['stdout']): void {
  if (payments.length === 0) stdout('No payments.');
  for (const one of payments) {
    const { id, createdAt, description, type, amount, currency, status, refund: back, dispute, totals } = one;
    const money = moneyText(type === 'refund' ? -amount : amount, currency);
    const left = back && back.leftCents > 0 ? `, up to ${moneyText(back.leftCents, currency)} can be refunded` : '';
    const disputed = dispute ? `, dispute: ${dispute.state}` : '';
    const how = totals ? ` (${totalsText(totals, currency)})` : '';
    stdout(`${id}  ${createdAt.slice(0, 10)}  ${description}, ${money}${how}, ${status}${disputed}${left}`);
  }
  if (nextCursor !== null) stdout(`More: --cursor ${nextCursor}`);
}

/** Reads the amount, after looking up the payment, whose currency says how many decimals there are. @throws UsageError */
async function refundOf(values: Values, _positionals: readonly string[], cli: CliOptions) {
  const who = accountOf(values);
  const payment = required(values, 'payment', 'payments refund');
  const [whole = '', part = '', ...more] = required(values, 'amount', 'payments refund').split('.');
  if (!/^\d{1,9}$/.test(whole) || !/^\d{0,3}$/.test(part) || more.length > 0)
    throw new UsageError('--amount must be an amount of money such as 4.50');
  const { payments } = await askBrokerOrRun(cli, paymentsShownSchema, 'payments.list', { ...who, payment });
  const found = payments.find(({ id }) => id === payment);
  if (!found) throw new UsageError('--payment must be an id that `payments list` printed');
  const decimals = decimalsOf(found.currency);
  if (part.length > decimals)
    throw new UsageError(`--amount has more than the ${decimals} decimals of ${found.currency}`);
  const amountCents = Number(`${whole}${part.padEnd(decimals, '0')}`);
  return { ...who, payment, amountCents, reason: values['reason'], operator: userInfo().username };
}

async function decide(values: Values, cli: CliOptions): Promise<void> {
  const order = required(values, 'order', 'payments decide');
  const decision = required(values, 'as', 'payments decide');
  if (decision !== 'return' && decision !== 'close') throw new UsageError('--as must be return or close');
  const { orderId, status } = await askBroker(cli, paymentDecidedSchema, 'payments.decide', { order, decision });
  cli.stdout(`${orderId} is ${status}`);
}
