import type { ConnectionCheck } from '@souk/contract/diagnostics.ts';
import { createOutgoingFetch } from '#adapters/openid/outgoing-fetch.ts';
import { connectProvider } from '#adapters/stripe/stripe-client.ts';
import { checkKnownDocuments } from '#features/identity/index.ts';
import { runDoctor, type Diagnosis } from '#features/diagnostics/index.ts';
import { systemClock } from '#platform/clock.ts';
import { readConfig, readProxyConfig, type Config } from '#platform/config.ts';
import { examinePayments } from './payment-checks.ts';
import { createOutgoing } from '#platform/http/outgoing.ts';
import { createOutgoingDispatcher } from '#platform/http/outgoing-dispatcher.ts';

const google = 'https://accounts.google.com';
/** The same in each run, so that repeated runs register at most one client at an installation. */
const clientName = 'Connection doctor';

/**
 * Examines the installation at `address`, by default the configured one, from this machine: `npm run souk -- doctor`.
 * @param address an origin or any URL on it, such as the link; undefined for PUBLIC_URL
 * @returns undefined when `address` is invalid
 * @throws ConfigError when the configuration is invalid; of one for an `address` the proxy's variables count alone
 */
export async function examine(
  address: string | undefined,
  environment: NodeJS.ProcessEnv,
): Promise<{ baseUrl: string; diagnosis: Diagnosis } | undefined> {
  const config = address === undefined ? readConfig(environment) : undefined;
  const url = URL.parse(address ?? config?.publicUrl ?? '');
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
    return { baseUrl, diagnosis: { ok: checks.every(({ status }) => status !== 'failed'), checks } };
  } finally {
    await dispatcher.destroy();
  }
}

async function examineStripe(
  access: NonNullable<Config['stripe']>,
  shop: Pick<Config, 'publicUrl' | 'paymentMethods'>,
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
