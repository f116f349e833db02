import { moneyText } from '@souk/contract/billing/currencies.ts';
import { userInfo } from 'node:os';
import { givenSchema, removedSchema, userShownSchema, type UserShown } from '#operator/commands/billing-results.ts';
import { askBrokerOrRun, required, UsageError, type CliOptions, type Command, type Values } from './command.ts';
import { accountHelp, accountOf, accountOptions, json, jsonHelp } from './users.ts';

const reasonHelp = ['--reason R', 'why, for the audit log'] as const satisfies [string, string];

/** `souk user show`, `give` and `remove`: what the administrator's screen does. */
export const userAccessCliCommands: readonly Command[] = [
  {
    name: 'user show',
    summary: "shows a user's plans, servers and credits, with what a refund comes to",
    usage: 'user show --email E [--provider P | --id ID] [--json]',
    options: { ...accountOptions, ...json },
    help: [...accountHelp, jsonHelp],
    async run(values, { environment, stdout, stderr }) {
      const shown = userShownSchema.parse(
        await askBrokerOrRun({ environment, stderr }, 'user.show', accountOf(values)),
      );
      if (values.json === true) stdout(JSON.stringify(shown));
      else printUser(shown, stdout);
    },
  },
  {
    name: 'user give',
    summary: 'gives a user a plan for a month, the rental of a server, or a server for good; nothing is charged',
    usage:
      'user give --email E (--plan ID | --rental ID [--period P] | --purchase ID) [--provider P | --id ID] [--reason R] [--json]',
    options: {
      ...accountOptions,
      ...json,
      plan: { type: 'string' },
      rental: { type: 'string' },
      purchase: { type: 'string' },
      period: { type: 'string' },
      reason: { type: 'string' },
    },
    help: [
      ...accountHelp,
      ['--plan ID', 'the id of a plan'],
      ['--rental ID', 'the id of a server'],
      ['--period P', 'of a rental: daily, weekly or monthly; by default monthly'],
      ['--purchase ID', 'the id of a server'],
      reasonHelp,
      jsonHelp,
    ],
    async run(values, { environment, stdout, stderr }) {
      const what = wantedOf(values);
      const args = { ...accountOf(values), ...what, reason: values.reason, operator: userInfo().username };
      const given = givenSchema.parse(await askBrokerOrRun({ environment, stderr }, 'user.give', args));
      if (values.json === true) return stdout(JSON.stringify(given));
      stdout(`${args.email} has the ${what.type} of ${what.of}${untilOf(given.endsAt)}: ${given.id}`);
    },
  },
  {
    name: 'user remove',
    summary: 'ends a plan, rental, purchase or trial of a user now; paid back only with --refund',
    usage: 'user remove --email E --subscription ID [--refund] [--provider P | --id ID] [--reason R] [--json]',
    options: {
      ...accountOptions,
      ...json,
      subscription: { type: 'string' },
      refund: { type: 'boolean' },
      reason: { type: 'string' },
    },
    help: [
      ...accountHelp,
      ['--subscription ID', 'its id, as `user show` prints it'],
      ['--refund', 'pay back what was paid for the part of the period that is left'],
      reasonHelp,
      jsonHelp,
    ],
    async run(values, { environment, stdout, stderr }) {
      const subscription = required(values, 'subscription', 'user remove');
      const refund = values.refund === true ? 'prorata' : 'none';
      const args = { ...accountOf(values), subscription, refund, reason: values.reason, operator: userInfo().username };
      const removed = removedSchema.parse(await askBrokerOrRun({ environment, stderr }, 'user.remove', args));
      stdout(values.json === true ? JSON.stringify(removed) : removed.message);
    },
  },
];

/** @throws UsageError */
function wantedOf({ plan, rental, purchase, period }: Values) {
  const wanted = [
    { type: 'subscription' as const, of: plan },
    { type: 'rental' as const, of: rental },
    { type: 'purchase' as const, of: purchase },
  ].flatMap(({ type, of }) => (typeof of === 'string' ? [{ type, of }] : []));
  const [one] = wanted;
  if (!one || wanted.length > 1) throw new UsageError('Name one of --plan, --rental and --purchase');
  if (period === undefined) return one;
  if (one.type !== 'rental') throw new UsageError('--period is of a rental');
  if (period !== 'daily' && period !== 'weekly' && period !== 'monthly')
    throw new UsageError('--period must be daily, weekly or monthly');
  return { ...one, period };
}

const untilOf = (endsAt: string | null) => (endsAt === null ? '' : ` until ${endsAt.slice(0, 10)}`);

function printUser({ user, billing }: UserShown, stdout: CliOptions['stdout']): void {
  const { credits, subscriptions, rentals, purchases, trials } = billing;
  const facts = [...(user.role === 'admin' ? ['administrator'] : []), ...(user.isActive ? [] : ['deactivated'])];
  stdout(`${user.email}  ${user.displayName}  ${user.id}${facts.length > 0 ? `  (${facts.join(', ')})` : ''}`);
  stdout(`  ${credits.balance} credits, ${credits.held} held, ${credits.debt} owed`);
  const owned = [
    ...subscriptions.map((one) => ({ ...one, what: `plan ${one.mcpId}`, endsAt: one.currentPeriodEnd })),
    ...[...rentals, ...trials, ...purchases].map((one) => ({
      ...one,
      what: `${one.type} ${one.mcpId}`,
      endsAt: one.endDate,
    })),
  ];
  for (const { id, what, status, source, endsAt, refund, isDisputed, charge } of owned) {
    const next =
      charge &&
      `, next charge ${moneyText(charge.amountCents, charge.currency)}${charge.plusTax ? ' plus tax' : ''} on ${charge.at.slice(0, 10)}`;
    const amount = refund && `, a refund comes to ${moneyText(refund.amountCents, refund.currency)}`;
    const disputed = isDisputed ? ', what is disputed of its payments cannot be refunded' : '';
    stdout(`  ${id}  ${what}  ${status}, by ${source}${untilOf(endsAt)}${next ?? ''}${amount ?? ''}${disputed}`);
  }
}
