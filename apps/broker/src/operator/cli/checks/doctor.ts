import { systemSchema } from '@souk/contract/admin/system.ts';
import type { ConnectionCheck } from '@souk/contract/diagnostics.ts';
import { createOutgoingFetch } from '#adapters/openid/outgoing-fetch.ts';
import { connectProvider } from '#adapters/stripe/stripe-client.ts';
import { checkKnownDocuments } from '#features/identity/index.ts';
import { runDoctor, type Diagnosis } from '#features/diagnostics/index.ts';
import { systemClock } from '#platform/clock.ts';
import { readConfig, readProxyConfig, type Config } from '#platform/config.ts';
import { callOperator, NotRunningError } from '#platform/operator/call-operator.ts';
import { UsageError } from '../command.ts';
import { examineNotices } from './mail-checks.ts';
import { examinePayments } from './payment-checks.ts';
import { createOutgoing } from '#platform/http/outgoing/outgoing.ts';
import { createOutgoingDispatcher } from '#platform/http/outgoing/outgoing-dispatcher.ts';

const addressSchema = systemSchema.pick({ publicUrl: true });
const google = 'https://accounts.google.com';
/** The same in each run, so that repeated runs register at most one client at an installation. */
const clientName = 'Connection doctor';

/**
 * Examines the installation at `address`, by default the configured one, from this machine: `npm run souk -- doctor`.
 * @param address an origin or any URL on it, such as the link; undefined for that of the variables, or of the broker of DATA_DIR. With
 *   the variables of that installation, what they name is examined too: its sign-in provider, payments, mail server and receiver of alerts
 * @returns undefined when `address` is invalid
 * @throws UsageError where nothing says the address; ConfigError when the configuration is invalid; of one for an `address` the proxy's variables count alone
 */
export async function examine(
  address: string | undefined,
  environment: NodeJS.ProcessEnv,
): Promise<{ baseUrl: string; diagnosis: Diagnosis } | undefined> {
  const config = isOwn(address, environment) ? readConfig(environment) : undefined;
  const url = URL.parse(address ?? (config && (await ownAddress(config, environment))) ?? '');
  if (!url || !['http:', 'https:'].includes(url.protocol)) return undefined;
  const baseUrl = url.origin;
  const outgoing = createOutgoing(readProxyConfig(environment));
  const dispatcher = createOutgoingDispatcher(outgoing);
  try {
    const { checks } = await runDoctor({
      baseUrl,
      dispatcher,
      ...(config?.clientDocuments.advertised && { knownDocuments: () => checkKnownDocuments(outgoing) }),
      clientName,
      nowMs: () => systemClock.now(),
      // the sign-in provider of another installation cannot be checked from here
      signInProviders: [...(config?.google ? [google] : []), ...(config?.oidc ? [config.oidc.issuer] : [])],
    });
    // the payments of another installation cannot be checked from here
    if (config?.payments === 'stripe' && config.stripe)
      checks.push(...(await examineStripe(config.stripe, config, dispatcher)));
    // nor are its mail server and receiver of alerts
    if (config) checks.push(...(await examineNotices(config, outgoing)));
    return { baseUrl, diagnosis: { ok: checks.every(({ status }) => status !== 'failed'), checks } };
  } finally {
    await dispatcher.destroy();
  }
}

/** Whether the variables are those of the installation at an address. */
function isOwn(address: string | undefined, environment: NodeJS.ProcessEnv): boolean {
  if (address === undefined) return true;
  const origin = URL.parse(environment['PUBLIC_URL'] ?? '')?.origin;
  return origin !== undefined && origin === URL.parse(address)?.origin;
}

/**
 * The address that the variables name, else the one that the running broker knows: by the defaults another installation might be
 * examined, or none.
 * @throws UsageError where no broker runs on the data folder
 */
async function ownAddress(config: Pick<Config, 'publicUrl' | 'dataDir'>, given: NodeJS.ProcessEnv): Promise<string> {
  if (given['PUBLIC_URL'] || given['PORT']) return config.publicUrl;
  try {
    return addressSchema.parse(await callOperator(config.dataDir, 'system.show', {})).publicUrl;
  } catch (error) {
    if (!(error instanceof NotRunningError)) throw error;
    throw new UsageError(
      `No broker runs on the data folder ${config.dataDir}, so its address is not known. Name it: npm run souk -- doctor URL, or set PUBLIC_URL or PORT as for the broker, or DATA_DIR to its folder`,
    );
  }
}

async function examineStripe(
  access: NonNullable<Config['stripe']>,
  shop: Pick<Config, 'publicUrl' | 'paymentMethods' | 'checkout'>,
  dispatcher: ReturnType<typeof createOutgoingDispatcher>,
): Promise<ConnectionCheck[]> {
  const provider = connectProvider(access, createOutgoingFetch(dispatcher));
  try {
    return await examinePayments(provider, shop);
  } finally {
    provider.stop();
  }
}

const labels = { passed: 'ok   ', warned: 'warn ', failed: 'FAULT' } as const;

/** Prints each check, and for each fault what to do about it. */
export function printDiagnosis(baseUrl: string, { ok, checks }: Diagnosis, print: (line: string) => void): void {
  print(`Examining ${baseUrl}`);
  for (const { name, status, detail, advice } of checks) {
    if (status !== 'skipped') print(`${labels[status]}  ${name}: ${detail}`);
    if (advice !== null) print(`       What to do: ${advice}`);
  }
  const skipped = checks.filter(({ status }) => status === 'skipped').map(({ name }) => name);
  if (skipped.length > 0) print(`Not checked from here, or not until the faults are fixed: ${skipped.join('; ')}.`);
  const count = (wanted: string) => checks.filter(({ status }) => status === wanted).length;
  const faults = count('failed');
  print(ok ? `No fault found, in ${count('passed')} checks.` : `${faults} ${faults === 1 ? 'fault' : 'faults'} found.`);
}
