import { reconciledSchema } from '#operator/commands/payment-commands.ts';
import { askBroker, type Command } from './command.ts';

/** Long, because the provider is asked about each order and subscription. */
const timeoutMs = 30 * 60_000;

export const reconcileCliCommand: Command = {
  name: 'reconcile',
  summary:
    'compares payments and subscriptions with the payment provider, and repairs differences; requires a running broker',
  usage: 'reconcile',
  help: [['', 'also runs automatically: payments every five minutes, subscriptions once a day']],
  async run(_values, cli) {
    const answer = await askBroker(cli, reconciledSchema, 'reconcile', {}, timeoutMs);
    const { orders, driftedSubscriptions, missedPayments, missedDisputes, missedRefunds } = answer;
    cli.stdout(`${orders.checked} open payments checked`);
    cli.stdout(`  ${orders.fulfilled} were paid without our knowing, and have been fulfilled now`);
    cli.stdout(`  ${orders.expired} had expired or failed`);
    cli.stdout(
      `  ${orders.refunded} paid for something that cannot be sold, such as the same item twice: canceled and refunded`,
    );
    cli.stdout(`  ${orders.flagged} differ from what was ordered: see payments flagged`);
    cli.stdout(`  ${orders.unanswered} could not be checked: the next run retries them`);
    cli.stdout(`${missedPayments} payments at the provider were unknown here, and have been fulfilled or refunded`);
    cli.stdout(`${missedDisputes} disputes at the provider were missing or outdated here, and have been updated`);
    cli.stdout(`${missedRefunds} refunds at the provider were missing or outdated here, and have been applied`);
    cli.stdout(`${driftedSubscriptions} subscriptions differed from the payment provider, and were corrected`);
  },
};
