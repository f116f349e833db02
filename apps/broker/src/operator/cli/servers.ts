import { serverLogSchema } from '#operator/commands/server-log.ts';
import { askBroker, flag, jsonHelp, UsageError, type CliOptions, type Command, type Values } from './command.ts';

const idHelp = ['ID', "the id in the server's manifest"] as const;

/** `souk server …` and `souk overview`: the state of servers and of the shop. */
export const serverCliCommands: readonly Command[] = [
  {
    name: 'server log',
    summary: "shows a server's status and the last lines that its program (stdio), if it is one, wrote to stderr",
    usage: 'server log ID',
    options: {},
    argument: 'ID',
    help: [
      idHelp,
      ['', 'the lines come from every process of the server: shared ones, those of single users, and connection tests'],
      ['', 'administrators do not see those of single users in the browser, since they may contain names'],
    ],
    run: printServerLog,
  },
  {
    name: 'server show',
    summary: "shows a server's state, its processes, and its figures of the last 30 days",
    usage: 'server show ID [--json]',
    options: { json: flag },
    argument: 'ID',
    help: [idHelp, jsonHelp],
    run: async (values, cli) => (await import('./show-server.ts')).showServer(values, cli),
  },
  {
    name: 'overview',
    summary: "shows what waits for you, and the shop's figures of the last 30 days, while Souk runs",
    usage: 'overview [--json]',
    options: { json: flag },
    help: [jsonHelp],
    run: async (values, cli) => (await import('./overview.ts')).printOverview(values, cli),
  },
];

async function printServerLog({ ID: id }: Values, cli: CliOptions): Promise<void> {
  if (typeof id !== 'string') throw new UsageError('Name a server: npm run souk -- server log ID');
  const { status, detail, reason, lines } = await askBroker(cli, serverLogSchema, 'server.log', { id });
  cli.stdout(detail === null ? status : `${status}: ${detail}`);
  if (reason !== null) cli.stdout(`Reason: ${reason}`);
  for (const line of lines) cli.stdout(`  ${line}`);
}
