import { readConfig } from '#platform/config.ts';
import { callOperator } from '#platform/operator/call-operator.ts';
import { reconciledSchema } from '#operator/commands/reconcile-command.ts';
import type { CliOptions, Command, Values } from './command.ts';

/** Each order and subscription is asked about at the provider. */
const timeoutMs = 30 * 60_000;

export const reconcileCliCommand: Command = {
  name: 'reconcile',
  summary: 'compares payments and subscriptions with the payment provider, and repairs what differs, while Souk runs',
  usage: 'reconcile',
  options: {},
  help: [['', 'also runs by itself: payments every five minutes, subscriptions once a day']],
  run: reconcile,
};

async function reconcile(_values: Values, { environment, stdout }: CliOptions): Promise<void> {
  const { dataDir } = readConfig(environment);
  const result = await callOperator(dataDir, 'reconcile', {}, timeoutMs);
  const { orders, driftedSubscriptions, missedPayments, missedDisputes } = reconciledSchema.parse(result);
  stdout(`${orders.checked} open payments checked`);
  stdout(`  ${orders.fulfilled} were paid without our knowing: what was bought is there now`);
  stdout(`  ${orders.expired} had expired or failed`);
  stdout(`  ${orders.refunded} were for what cannot be had, such as twice: canceled and refunded`);
  stdout(`  ${orders.flagged} are not what was ordered: see payments flagged`);
  stdout(`  ${orders.unanswered} could not be checked: the next run asks again`);
  stdout(`${missedPayments} payments at the provider had come to nothing here: they were given for, or given back`);
  stdout(`${missedDisputes} disputes at the provider were not known here as they are now, and were read`);
  stdout(`${driftedSubscriptions} subscriptions differed from the payment provider, and were corrected`);
}
