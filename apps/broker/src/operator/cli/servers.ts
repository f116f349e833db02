import { moneyText } from '@souk/contract/billing/currencies.ts';
import type { z } from 'zod';
import { overviewShownSchema } from '#operator/commands/overview-command.ts';
import { serverLogSchema, shownServerSchema } from '#operator/commands/server-commands.ts';
import { answeredCommand, askBroker, UsageError, type CliOptions, type Command, type Values } from './command.ts';
import { printOverview } from './overview.ts';

const idHelp = ['ID', "the id in the server's manifest"] as const;
const mebibyte = 1024 * 1024;

export const serverCliCommands: readonly Command[] = [
  {
    name: 'server log',
    summary: "shows a server's status, and the last stderr lines of its program if it is a stdio server",
    usage: 'server log ID',
    argument: 'ID',
    help: [
      idHelp,
      ['', 'the lines come from every process of the server: shared ones, those of single users, and connection tests'],
      ['', 'administrators do not see those of single users in the browser, since they may contain names'],
    ],
    run: printServerLog,
  },
  answeredCommand({
    name: 'server show',
    summary: "shows a server's state, its processes, and its figures of the last 30 days",
    usage: 'server show ID [--json]',
    argument: 'ID',
    help: [idHelp],
    command: 'server.show',
    answer: shownServerSchema,
    needsBroker: true,
    args: (values) => ({ id: idOf(values, 'show') }),
    print: printServer,
  }),
  answeredCommand({
    name: 'overview',
    summary: "shows what needs your attention, and the shop's figures of the last 30 days; requires a running broker",
    command: 'overview',
    answer: overviewShownSchema,
    needsBroker: true,
    print: printOverview,
  }),
];

/** @throws UsageError */
function idOf({ ID: id }: Values, command: string): string {
  if (typeof id !== 'string') throw new UsageError(`Name a server: npm run souk -- server ${command} ID`);
  return id;
}

async function printServerLog(values: Values, cli: CliOptions): Promise<void> {
  const id = idOf(values, 'log');
  const { status, detail, reason, lines } = await askBroker(cli, serverLogSchema, 'server.log', { id });
  cli.stdout(detail === null ? status : `${status}: ${detail}`);
  if (reason !== null) cli.stdout(`Reason: ${reason}`);
  for (const line of lines) cli.stdout(`  ${line}`);
}

function printServer(shown: z.output<typeof shownServerSchema>, stdout: CliOptions['stdout']): void {
  const { now, month, renters, uptime } = shown;
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
  stdout(`  ${month.credits} credits, ${month.users} users, ${renters} renters now`);
  stdout(`  rentals earned ${moneyText(month.revenueCents, month.currency)} after refunds`);
  const known = uptime.flatMap(({ percent }) => percent ?? []);
  if (known.length > 0) stdout(`  up in ${Math.min(...known)} % of the checks on the worst day`);
}
