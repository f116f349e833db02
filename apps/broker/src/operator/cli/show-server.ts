import { moneyText } from '@souk/contract/billing/currencies.ts';
import { shownServerSchema } from '#operator/commands/show-server.ts';
import { askBroker, UsageError, type CliOptions, type Values } from './command.ts';

const mebibyte = 1024 * 1024;

/** `souk server show`: the state of a server, and its figures of 30 days. */
export async function showServer(values: Values, cli: CliOptions): Promise<void> {
  const { stdout } = cli;
  const { ID: id } = values;
  if (typeof id !== 'string') throw new UsageError('Name a server: npm run souk -- server show ID');
  const { now, month, renters, uptime } = await askBroker(cli, shownServerSchema, 'server.show', { id });
  if (values['json'] === true) return stdout(JSON.stringify({ now, month, renters, uptime }));
  if (now) {
    const since = now.since === null ? '' : ` since ${now.since}`;
    const reason = now.reason === null ? '' : `: ${now.reason}`;
    stdout(`${now.status}${since}${reason}${now.detail === null ? '' : ` (${now.detail})`}`);
    stdout(`last check ${now.lastCheckAt ?? 'never'}, protocol ${now.era ?? 'unknown'}`);
    for (const { use, pid, startedAt, memoryBytes } of now.children) {
      const memory = memoryBytes === null ? '' : `, ${Math.round(memoryBytes / mebibyte)} MiB`;
      stdout(`process ${pid ?? '-'} (${use}) since ${startedAt ?? 'unknown'}${memory}`);
    }
  } else stdout('not deployed');
  stdout('In 30 days:');
  stdout(`  ${month.calls} answered calls, ${month.errors} failed by the server, ${month.refused} refused or canceled`);
  if (month.p50Ms !== null) stdout(`  half of them within ${month.p50Ms} ms, 95 % within ${month.p95Ms ?? 0} ms`);
  stdout(`  ${month.credits} credits, ${month.users} people, ${renters} renters now`);
  stdout(`  rentals earned ${moneyText(month.revenueCents, month.currency)} after refunds`);
  const known = uptime.flatMap(({ percent }) => percent ?? []);
  if (known.length > 0) stdout(`  up in ${Math.min(...known)} % of the checks on the worst day`);
}
