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
/** Constant, so that repeated runs register at most one client at an installation. */
const clientName = 'Connection doctor';

/**
 * Runs `npm run souk -- doctor`: examines an installation from this machine. If the variables are those of the installation,
 * also examines the sign-in provider, payments, mail server and alert webhook that they name.
 * @param address an origin or any URL on it, such as the link; by default that of the variables, or of the broker of DATA_DIR
 * @returns undefined if `address` is invalid
 * @throws UsageError if the address is unknown; ConfigError if the variables are invalid (for another installation, only
 *   those of the proxy are read)
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
    // nor can its mail server and alert webhook
    if (config) checks.push(...(await examineNotices(config, outgoing)));
    return { baseUrl, diagnosis: { ok: checks.every(({ status }) => status !== 'failed'), checks } };
  } finally {
    await dispatcher.destroy();
  }
}

/** Returns whether the variables are those of the installation at an address. */
function isOwn(address: string | undefined, environment: NodeJS.ProcessEnv): boolean {
  if (address === undefined) return true;
  const origin = URL.parse(environment['PUBLIC_URL'] ?? '')?.origin;
  return origin !== undefined && origin === URL.parse(address)?.origin;
}

/**
 * Returns the address that the variables name, or else that of the running broker. Does not use the defaults, which might
 * be another installation's address.
 * @throws UsageError if no broker runs on the data folder
 */
async function ownAddress(config: Pick<Config, 'publicUrl' | 'dataDir'>, given: NodeJS.ProcessEnv): Promise<string> {
  if (given['PUBLIC_URL'] || given['PORT']) return config.publicUrl;
  try {
    return addressSchema.parse(await callOperator(config.dataDir, 'system.show', {})).publicUrl;
  } catch (error) {
    if (!(error instanceof NotRunningError)) throw error;
    throw new UsageError(
      `No broker runs on the data folder ${config.dataDir}, so its address is unknown. Name it: npm run souk -- doctor URL, or set PUBLIC_URL or PORT as for the broker, or DATA_DIR to its folder`,
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

export function printDiagnosis(baseUrl: string, { ok, checks }: Diagnosis, print: (line: string) => void): void {
  print(`Examining ${baseUrl}`);
  for (const { name, status, detail, advice } of checks) {
    if (status !== 'skipped') print(`${labels[status]}  ${name}: ${detail}`);
    if (advice !== null) print(`       What to do: ${advice}`);
  }
  const skipped = checks.filter(({ status }) => status === 'skipped').map(({ name }) => name);
  if (skipped.length > 0)
    print(`Not checked, because of other faults or because it cannot be checked from here: ${skipped.join('; ')}.`);
  const count = (wanted: string) => checks.filter(({ status }) => status === wanted).length;
  const faults = count('failed');
  print(ok ? `No fault found, in ${count('passed')} checks.` : `${faults} ${faults === 1 ? 'fault' : 'faults'} found.`);
}
