import { readConfig } from '#platform/config.ts';
import { callOperator } from '#platform/operator/call-operator.ts';
import { deployedAllSchema, reloadedSchema } from '#operator/commands/manifests/run-results.ts';
import { askBrokerOrRun, ReportedError, type CliOptions, type Command, type Values } from '../command.ts';
import { plain } from '../printable.ts';

/** Thousands of manifests take minutes; the run goes on when the command is given up. */
const runTimeoutMs = 60 * 60_000;

export const reloadCommand: Command = {
  name: 'manifest reload',
  summary:
    'reads the deployed manifests again, opens new connections on every broker, and asks each server what it offers',
  usage: 'manifest reload [--json]',
  options: { json: { type: 'boolean' } },
  help: [
    ['--json', 'print the answer as JSON'],
    ['', 'joins a reload that is under way; exits with 1 when a server did not answer'],
  ],
  async run(values, { environment, stdout }) {
    const { dataDir } = readConfig(environment);
    const answer = reloadedSchema.parse(await callOperator(dataDir, 'manifest.reload', {}, runTimeoutMs));
    if (values.json === true) stdout(JSON.stringify(answer));
    else {
      stdout(`Reloaded ${answer.reloadedCount} of ${answer.reloadedCount + answer.errors.length} servers.`);
      printErrors(answer.errors, stdout);
    }
    if (answer.errors.length > 0) throw new ReportedError();
  },
};

/** `manifest deploy --all`: everything that an administrator staged. */
export async function deployAll(values: Values, cli: CliOptions): Promise<void> {
  const { stdout } = cli;
  const args = values.reason === undefined ? {} : { reason: values.reason };
  const answer = deployedAllSchema.parse(await askBrokerOrRun(cli, 'manifest.deploy-all', args, runTimeoutMs));
  if (values.json === true) stdout(JSON.stringify(answer));
  else {
    stdout(`Deployed ${answer.deployed} of ${answer.deployed + answer.failed} staged manifests.`);
    printErrors(answer.errors, stdout);
    if (!answer.running) stdout('No broker is running here: the servers are asked what they offer when one is.');
  }
  if (answer.errors.length > 0) throw new ReportedError();
}

function printErrors(errors: readonly { id: string; message: string }[], print: CliOptions['stdout']): void {
  for (const { id, message } of errors) print(plain(`  ${id}: ${message}`));
}
