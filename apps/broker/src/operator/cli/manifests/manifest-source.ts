import { readFile } from 'node:fs/promises';
import { readConfig } from '#platform/config.ts';
import { callOperator, NotRunningError } from '#platform/operator/call-operator.ts';
import { checkedSchema, type CheckedManifest } from '#operator/commands/manifests/manifest-results.ts';
import { codeOf } from '#platform/thrown.ts';
import { paths } from '../../../paths.ts';
import { ReportedError, UsageError, type CliOptions, type Values } from '../command.ts';
import { printChecked } from './print-manifest.ts';

/** The size limit of a manifest, 256 KiB. A larger file is not sent. */
const maxFileBytes = 256 * 1024;

export const fileHelp = [
  'FILE',
  'a manifest: a path that ends in .json or contains a /, or - for standard input',
] as const;
export const reasonHelp = ['--reason R', 'for the audit log'] as const;
export const helpCommandOf = (command: string) => `npm run souk -- manifest ${command} --help`;

/** Whether an argument is a file rather than the id of a server. */
export const isFile = (argument: string): boolean =>
  argument === '-' || argument.endsWith('.json') || argument.includes('/');

/** Reads a file or standard input, up to one byte beyond the limit, by which the check notices that it is too large. */
export async function readSource(file: string, cli: CliOptions, maxBytes = maxFileBytes): Promise<Buffer> {
  if (file === '-') {
    if (!cli.stdin) throw new UsageError('there is no standard input');
    return Buffer.from(await cli.stdin()).subarray(0, maxBytes + 1);
  }
  try {
    return (await readFile(file)).subarray(0, maxBytes + 1);
  } catch (error) {
    throw new UsageError(`cannot read ${file} (${codeOf(error) ?? 'failed'})`);
  }
}

/** Reads a manifest and checks it. Prints its problems if it has any. @returns base64 @throws ReportedError for a problem */
export async function readChecked(file: string, values: Values, cli: CliOptions): Promise<string> {
  const source = await readSource(file, cli);
  const checked = await check(source, cli);
  if (checked.ok) return source.toString('base64');
  if (values.json === true) cli.stdout(JSON.stringify(checked));
  else printChecked(file, checked, cli.stdout);
  throw new ReportedError();
}

/** Checks a manifest by the rules of the running broker, whose configuration may differ from that of this shell. */
export async function check(source: Buffer, cli: Pick<CliOptions, 'environment'>): Promise<CheckedManifest> {
  return (await checkBy(source, cli)).checked;
}

/** Checks a manifest, and says whose rules applied: without a broker, the rules of this shell's variables. */
export async function checkBy(
  source: Buffer,
  { environment }: Pick<CliOptions, 'environment'>,
): Promise<{ checked: CheckedManifest; askedBroker: boolean; dataDir: string }> {
  const config = readConfig(environment);
  const { dataDir } = config;
  try {
    const args = { source: source.toString('base64') };
    const checked = checkedSchema.parse(await callOperator(dataDir, 'manifest.check', args));
    return { checked, askedBroker: true, dataDir };
  } catch (error) {
    if (!(error instanceof NotRunningError)) throw error;
    const { checkManifestSource } = await import('#operator/commands/manifests/manifest-commands.ts');
    const { readInstallation } = await import('../../../installation.ts');
    const checked = checkManifestSource(source, readInstallation(config, paths).policy);
    return { checked, askedBroker: false, dataDir };
  }
}
