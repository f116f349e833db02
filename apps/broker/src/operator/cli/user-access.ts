import { moneyText } from '@souk/contract/billing/currencies.ts';
import { givenSchema, removedSchema, userShownSchema, type UserShown } from '#operator/commands/billing-results.ts';
import {
  answeredCommand,
  auditReasonHelp,
  flag,
  required,
  text,
  UsageError,
  type CliOptions,
  type Command,
  type Values,
} from './command.ts';
import { accountHelp, accountOf, accountOptions, decisionOf } from './users.ts';

/** `souk user show`, `give` and `remove`: what a user owns, as on the administrators' screen. */
export const userAccessCliCommands: readonly Command[] = [
  answeredCommand({
    name: 'user show',
    summary: "shows a user's plans, servers and credits, and refundable amounts",
    usage: 'user show --email E [--provider P | --id ID] [--json]',
    options: accountOptions,
    help: accountHelp,
    command: 'user.show',
    answer: userShownSchema,
    args: accountOf,
    print: printUser,
  }),
  answeredCommand({
    name: 'user give',
    summary: 'gives a user a plan for a month, the rental of a server, or a server permanently; nothing is charged',
    usage:
      'user give --email E (--plan ID | --rental ID [--period P] | --purchase ID) [--provider P | --id ID] [--reason R] [--json]',
    options: { ...accountOptions, plan: text, rental: text, purchase: text, period: text, reason: text },
    help: [
      ...accountHelp,
      ['--plan ID', 'the id of a plan'],
      ['--rental ID', 'the id of a server'],
      ['--period P', 'the period of a rental: daily, weekly or monthly; by default monthly'],
      ['--purchase ID', 'the id of a server'],
      auditReasonHelp,
    ],
    command: 'user.give',
    answer: givenSchema,
    args: (values) => ({ ...wantedOf(values), ...decisionOf(values) }),
    print({ id, endsAt }, stdout, { values }) {
      const { type, of } = wantedOf(values);
      stdout(`${values.email} has the ${type} of ${of}${untilOf(endsAt)}: ${id}`);
    },
  }),
  answeredCommand({
    name: 'user remove',
    summary: 'ends a plan, rental, purchase or trial of a user now; refunded only with --refund',
    usage: 'user remove --email E --subscription ID [--refund] [--provider P | --id ID] [--reason R] [--json]',
    options: { ...accountOptions, subscription: text, refund: flag, reason: text },
    help: [
      ...accountHelp,
      ['--subscription ID', 'its id, as `user show` prints it'],
      ['--refund', 'refund what was paid for the rest of the period'],
      auditReasonHelp,
    ],
    command: 'user.remove',
    answer: removedSchema,
    args(values) {
      const subscription = required(values, 'subscription', 'user remove');
      const refund = values.refund === true ? 'prorata' : 'none';
      return { ...decisionOf(values), subscription, refund };
    },
    print: ({ message }, stdout) => stdout(message),
  }),
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
  if (one.type !== 'rental') throw new UsageError('--period goes with --rental only');
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
    const amount = refund && `, a refund would be ${moneyText(refund.amountCents, refund.currency)}`;
    const disputed = isDisputed ? ', disputed payments cannot be refunded' : '';
    stdout(`  ${id}  ${what}  ${status}, by ${source}${untilOf(endsAt)}${next ?? ''}${amount ?? ''}${disputed}`);
  }
}
