import { runDoctor, type Diagnosis } from '#features/identity/index.ts';
import { systemClock } from '#platform/clock.ts';
import { readConfig } from '#platform/config.ts';

const google = 'https://accounts.google.com';
/** The same at each run, so that an installation that is examined from outside keeps one such client at most. */
const clientName = 'Connection doctor';

/**
 * Examines the installation at `address`, by default the configured one, from this machine: `npm run souk -- doctor`.
 * @param address an origin or any address on it, such as the link; undefined for PUBLIC_URL
 * @returns undefined where `address` is none
 * @throws ConfigError where the default is asked for and the configuration is wrong
 */
export async function examine(
  address: string | undefined,
  environment: NodeJS.ProcessEnv,
): Promise<{ baseUrl: string; diagnosis: Diagnosis } | undefined> {
  const config = address === undefined ? readConfig(environment) : undefined;
  const url = URL.parse(address ?? config?.publicUrl ?? '');
  if (!url || !['http:', 'https:'].includes(url.protocol)) return undefined;
  const baseUrl = url.origin;
  const diagnosis = await runDoctor({
    baseUrl,
    clientName,
    nowMs: () => systemClock.now(),
    // Elsewhere the provider is that installation's own affair.
    ...(config?.google && { signInProvider: google }),
  });
  return { baseUrl, diagnosis };
}

/** The diagnosis in plain words, a fault with what to do about it. */
export function printDiagnosis(baseUrl: string, { ok, checks }: Diagnosis, print: (line: string) => void): void {
  print(`Examining ${baseUrl}`);
  for (const { name, status, detail, advice } of checks) {
    if (status !== 'skipped') print(`${status === 'failed' ? 'FAULT' : 'ok   '}  ${name}: ${detail}`);
    if (advice !== null) print(`       What to do: ${advice}`);
  }
  const skipped = checks.filter(({ status }) => status === 'skipped').map(({ name }) => name);
  if (skipped.length > 0) print(`Not examined from here, or not before the faults are gone: ${skipped.join('; ')}.`);
  const count = (wanted: string) => checks.filter(({ status }) => status === wanted).length;
  const faults = count('failed');
  print(ok ? `No fault found, in ${count('passed')} checks.` : `${faults} ${faults === 1 ? 'fault' : 'faults'} found.`);
}
