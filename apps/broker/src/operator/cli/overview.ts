import { moneyText } from '@souk/contract/billing/currencies.ts';
import { shownNeeds, type Needs } from '@souk/contract/admin/overview.ts';
import type { z } from 'zod';
import type { overviewShownSchema } from '#operator/commands/overview-command.ts';
import type { CliOptions } from './command.ts';

export function printOverview(
  { needs, figures }: z.output<typeof overviewShownSchema>,
  stdout: CliOptions['stdout'],
): void {
  if (needs.waiting === 0) stdout('Nothing needs you.');
  for (const line of linesOf(needs.needs)) stdout(line);
  if (Object.values(needs.needs).some(({ items }) => items.length === shownNeeds))
    stdout(`At most ${shownNeeds} of each kind are listed: ${needs.waiting} things wait in all.`);
  const { revenue, plans, rentals, credits, calls, errors, people } = figures;
  stdout('In 30 days (in the 30 before):');
  for (const { currency, now, before, tax } of revenue) {
    const hasTax = tax.now !== 0 || tax.before !== 0;
    const taxText = hasTax
      ? `, without ${moneyText(tax.now, currency)} (${moneyText(tax.before, currency)}) of tax`
      : '';
    stdout(`  revenue ${moneyText(now, currency)} (${moneyText(before, currency)}) after refunds${taxText}`);
  }
  for (const [name, { active, began, ended }] of [
    ['plans', plans],
    ['rentals', rentals],
  ] as const)
    stdout(`  paid ${name} ${both(active)}, new ${both(began)}, lost ${both(ended)}`);
  stdout(`  credits paid for in packages and with plans ${both(credits.sold)}, used ${both(credits.used)}`);
  stdout(`  credits that users paid for and have not used ${both(credits.owed)}`);
  stdout(`  calls ${both(calls)}, failed by a server ${both(errors)}, users ${both(people)}`);
}

const both = ({ now, before }: { now: number; before: number | null }) => `${now} (${before ?? 'not counted yet'})`;

const who = ({ email, userId }: { email: string | null; userId: string | null }) => email ?? userId ?? 'unknown';
const since = (moment: string | null) => (moment === null ? '' : ` since ${moment}`);

/** Returns a line for each thing that waits, the most urgent first, in the order of the screen. */
function linesOf(needs: Needs): string[] {
  return [
    ...needs.ledgerFaults.items.map(({ userId, fault }) => `ledger: ${userId}: ${fault}`),
    ...needs.disputes.items.map(
      (one) =>
        `dispute ${one.id} of ${who(one)}: ${moneyText(one.amountCents, one.currency)}, answer by ${one.dueBy ?? 'unknown'}`,
    ),
    ...needs.failingServers.items.map(
      (one) =>
        `server ${one.serverId} has been failing${since(one.since)}: ${one.reason ?? 'no reason is known'}${one.detail === null ? '' : ` (${one.detail})`}`,
    ),
    ...needs.endingCertificates.items.map(
      (one) =>
        `the certificate of server ${one.serverId} ${one.hasExpired ? 'expired' : 'expires'} on ${one.validUntil}, issued by ${one.issuer ?? 'an unnamed authority'}`,
    ),
    ...needs.signInsToConfirm.items.map(
      (one) =>
        `sign-in to ${one.serverId} has been blocked since ${one.since}: it sends users to ${one.issuer}, which you have to confirm on the server's page`,
    ),
    ...needs.failedRenewals.items.map((one) => `renewal of ${one.what} for ${who(one)} failed${since(one.since)}`),
    ...needs.flaggedOrders.items.map((one) => `flagged order ${one.orderId} of ${who(one)}: ${one.reason ?? ''}`),
    ...needs.failedRefunds.items.map(
      (one) =>
        `refund of ${moneyText(one.amountCents, one.currency)} to ${who(one)} failed${since(one.since)}: ${one.reason ?? 'no reason is known'}; repeat it with payments refund, or at the payment provider`,
    ),
    ...needs.failingEvents.items.map(
      (one) => `event ${one.id} (${one.type}) failed in ${one.attempts} attempts: ${one.error}`,
    ),
    ...needs.foundPayments.items.map((one) => `${one.kind} ${one.subject} of ${who(one)} was found by the reconciler`),
    ...needs.toolsUnderReview.items.map((one) => `tools of ${one.serverId} under review: ${one.tools}`),
    ...needs.stagedVersions.items.map((one) => `${one.serverId} ${one.version} is staged`),
  ];
}
