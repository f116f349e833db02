import { deployedAllSchema, reloadedSchema, type DeployedAll } from '#operator/commands/manifests/run-results.ts';
import { answeredCommand, askBrokerOrRun, ReportedError, show, type CliOptions, type Values } from '../command.ts';
import { plain } from '../printable.ts';

/** Thousands of manifests take minutes. The run continues if the command gives up. */
const runTimeoutMs = 60 * 60_000;

export const reloadCommand = answeredCommand({
  name: 'manifest reload',
  summary:
    're-reads the deployed manifests, reconnects every broker, and asks each server what it offers; requires a running broker',
  help: [['', 'joins a reload that is already running; exits with 1 if a server did not answer']],
  command: 'manifest.reload',
  answer: reloadedSchema,
  needsBroker: true,
  print({ reloadedCount, errors }, stdout) {
    stdout(`Reloaded ${reloadedCount} of ${reloadedCount + errors.length} servers.`);
    printErrors(errors, stdout);
  },
  timeoutMs: runTimeoutMs,
  hasFailed: ({ errors }) => errors.length > 0,
});

/** `manifest deploy --all`: deploys everything that an administrator staged. */
export async function deployAll(values: Values, cli: CliOptions): Promise<void> {
  const args = { reason: values['reason'] };
  const answer = await askBrokerOrRun(cli, deployedAllSchema, 'manifest.deploy-all', args, runTimeoutMs);
  show(answer, printDeployedAll, { values, ...cli });
  if (answer.errors.length > 0) throw new ReportedError();
}

function printDeployedAll({ deployed, failed, errors, running }: DeployedAll, print: CliOptions['stdout']): void {
  print(`Deployed ${deployed} of ${deployed + failed} staged manifests.`);
  printErrors(errors, print);
  if (!running) print('No broker is running here: the next one asks the servers what they offer.');
}

function printErrors(errors: readonly { id: string; message: string }[], print: CliOptions['stdout']): void {
  for (const { id, message } of errors) print(plain(`  ${id}: ${message}`));
}
