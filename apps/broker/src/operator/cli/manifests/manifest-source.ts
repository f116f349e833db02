import { readFile } from 'node:fs/promises';
import { readConfig } from '#platform/config.ts';
import { callOperator, NotRunningError } from '#platform/operator/call-operator.ts';
import { checkedSchema, type CheckedManifest } from '#operator/commands/manifests/manifest-results.ts';
import { paths } from '../../../paths.ts';
import { UsageError, type CliOptions } from '../command.ts';

/** A manifest is at most 256 KiB; a larger file is not sent. */
const maxFileBytes = 256 * 1024;

/** Whether an argument is a file rather than the id of a server. */
export const isFile = (text: string): boolean => text === '-' || text.endsWith('.json') || text.includes('/');

/** The bytes of a file or of standard input; at most one more than it may have. */
export async function readSource(file: string, cli: CliOptions, maxBytes = maxFileBytes): Promise<Buffer> {
  if (file === '-') {
    if (!cli.stdin) throw new UsageError('there is no standard input');
    return Buffer.from(await cli.stdin()).subarray(0, maxBytes + 1);
  }
  try {
    return (await readFile(file)).subarray(0, maxBytes + 1);
  } catch (error) {
    throw new UsageError(`cannot read ${file} (${error instanceof Error && 'code' in error ? error.code : 'failed'})`);
  }
}

/** By the rules of the running broker, whose configuration may be another one than that of this shell. */
export async function check(source: Buffer, cli: Pick<CliOptions, 'environment'>): Promise<CheckedManifest> {
  return (await checkBy(source, cli)).checked;
}

/** The same, with whose rules these were: without a broker, those of this shell's variables. */
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
    return {
      checked: checkManifestSource(source, readInstallation(config, paths).policy),
      askedBroker: false,
      dataDir,
    };
  }
}
