import { amountFault, currencyFault } from '@souk/contract/billing/currencies.ts';
import { completeManifest, manifestSchema, type Manifest } from '@souk/contract/manifest/manifest.ts';
import { SoukError, type Issue } from '#platform/errors.ts';
import type { UpstreamAddressRule } from '#platform/http/outgoing/upstream-address-rule.ts';
import { missing } from '@souk/contract/manifest/issue-text.ts';
import { manifestIssues } from '@souk/contract/manifest/manifest-issues.ts';
import { readJson } from './read-json.ts';

export const maxManifestBytes = 256 * 1024;

/** Names and addresses that this installation allows in manifests. */
export type ManifestPolicy = {
  /** Aliases of the operator's allow-list for stdio, and those that administrators allowed. */
  stdioAliases: Pick<ReadonlySet<string>, 'has'>;
  /** Whether the program of an alias gets a folder that it may write to. */
  keepsFiles?: ((alias: string) => boolean) | undefined;
  /** Names allowed after `service:`. */
  services: ReadonlySet<string>;
  addressProblem: UpstreamAddressRule;
  /** Currency of the plans and credit packages, which rentals share; undefined: nothing is sold. */
  currency?: string | undefined;
};

/** @throws SoukError manifest_invalid (with every field's path), url_not_allowed or command_not_allowed */
export function parseManifest(source: Uint8Array | string, policy: ManifestPolicy): Manifest {
  if (Buffer.byteLength(source) > maxManifestBytes) throw invalid([{ path: '', message: 'is larger than 256 KiB' }]);
  const read = readJson(source);
  if (read.issues.length > 0) throw invalid(read.issues);
  return checkManifest(read.value, policy);
}

/** Checks a manifest that was already parsed as JSON, such as a request's body. */
export function checkManifest(value: unknown, policy: ManifestPolicy): Manifest {
  const parsed = manifestSchema.safeParse(completeManifest(value));
  if (!parsed.success) throw invalid(manifestIssues(parsed.error, value));
  checkAllowed(parsed.data, policy);
  return parsed.data;
}

/**
 * Checks that this installation allows what a manifest names, which may have changed since it was stored.
 * @throws SoukError manifest_invalid, url_not_allowed or command_not_allowed
 */
export function checkAllowed(manifest: Manifest, policy: ManifestPolicy): void {
  checkConnection(manifest, policy);
  checkCurrency(manifest, policy);
}

/**
 * Checks the rental: the payment provider lets a user pay in only one currency, and has a minimum amount.
 * @throws SoukError manifest_invalid when the rental could not be sold
 */
export function checkCurrency({ billing }: Manifest, { currency }: Pick<ManifestPolicy, 'currency'>): void {
  const { rental } = billing ?? {};
  if (!rental) return;
  const message = currencyFault(rental.currency) ?? anotherCurrency(rental.currency, currency);
  if (message !== undefined) throw invalid([{ path: 'billing.rental.currency', message }]);
  const tooLittle = amountFault(rental.price, rental.currency);
  if (tooLittle !== undefined) throw invalid([{ path: 'billing.rental.price', message: tooLittle }]);
}

function anotherCurrency(rented: string, ofShop: string | undefined): string | undefined {
  if (ofShop === undefined || rented === ofShop) return undefined;
  return `must be ${ofShop}, the currency of the plans and credit packages: all prices are in one currency`;
}

function checkConnection({ connection }: Manifest, policy: ManifestPolicy): void {
  if (connection.type === 'stdio') {
    if (!policy.stdioAliases.has(connection.command)) {
      const message = 'is not on the allow-list of programs, the file that STDIO_ALLOWLIST names';
      throw new SoukError('command_not_allowed', {
        message: `connection.command: "${connection.command}" is not on this installation's allow-list of commands`,
        issues: [{ path: 'connection.command', message }],
      });
    }
    return;
  }
  const refuse = (message: string) =>
    new SoukError('url_not_allowed', {
      message: `connection.url: ${message}`,
      issues: [{ path: 'connection.url', message }],
    });
  if (connection.url.startsWith('service:')) {
    const name = connection.url.slice('service:'.length).split('/')[0] ?? '';
    if (!policy.services.has(name)) throw refuse(`this installation has no service called "${name}"`);
    return;
  }
  const problem = policy.addressProblem(new URL(connection.url));
  if (problem !== undefined) throw refuse(problem);
}

function invalid(issues: Issue[]): SoukError {
  const required = ['id', 'name', 'serviceType'].filter((field) =>
    issues.some((issue) => issue.path === field && issue.message === missing),
  );
  const message =
    required.length > 0
      ? 'Invalid manifest: Missing required fields (id, name, serviceType)' // spec part 2, section 5
      : `Invalid manifest: ${issues.map((issue) => (issue.path ? `${issue.path} ${issue.message}` : issue.message)).join('; ')}`;
  return new SoukError('manifest_invalid', { message: message.slice(0, 2000), issues: issues.slice(0, 100) });
}
