import { allowedPackageFormSchema, type AllowedPackageForm } from '@souk/contract/admin/allowances.ts';
import type { ImportEntry } from '@souk/contract/admin/imports.ts';
import { completeManifest, manifestSchema, type Manifest } from '@souk/contract/manifest/manifest.ts';
import { checkManifest, differencesOf, type ManifestPolicy } from '#features/catalogue/index.ts';
import { SoukError } from '#platform/errors.ts';
import { isRecord } from '#platform/json.ts';
import { portOf } from '#platform/http/outgoing/allowed-addresses.ts';
import { mayBeAllowed } from '#platform/http/outgoing/upstream-address-rule.ts';
import { checkPackage } from '../allowances/check-package.ts';
import type { Drafted } from './draft-manifest.ts';

/** Fields of an entry that cannot be imported. */
export const nothing = { price: 0, secrets: [], notes: [] };

/** Warning shown with each entry for the allow-list of programs that an import offers. */
export const programWarning =
  'Once this program is allowed, this machine runs its code, and it reads the secrets that you give it. Allow it only if you trust its authors.';

export type Rules = {
  policy: ManifestPolicy;
  /** Whether programs are started at all (STDIO). */
  startsPrograms: boolean;
  /** Whether administrators may allow private addresses. */
  administratorsMayAllow: boolean;
  administratorsMayAllowPackages: boolean;
  publicUrl: string;
};

/**
 * Returns whether a manifest can be staged here, with what the preview shows of it.
 * @param more notes in addition to those of its draft
 * @param current the existing manifest of the same server
 */
export function judge(
  name: string,
  { secrets, target, allowlist, notes }: Drafted,
  manifest: Record<string, unknown>,
  more: readonly string[],
  rules: Rules,
  current?: Manifest,
): ImportEntry {
  const shown = {
    ...nothing,
    name,
    secrets,
    target,
    notes: [...notes, ...more],
    ...(allowlist && { allowlist: JSON.stringify(allowlist, null, 2) }),
  };
  const { policy } = rules;
  let valid: Manifest;
  try {
    valid = checkManifest(manifest, policy);
  } catch (error) {
    if (!(error instanceof SoukError)) throw error;
    const reason = sayIssues(error);
    const isAllowable = error.code === 'url_not_allowed' || error.code === 'command_not_allowed';
    if (!isAllowable) return { ...nothing, name, notes: shown.notes, result: 'refused', reason };
    // the manifest is valid, but not allowed by this installation
    const wanted = manifestSchema.parse(completeManifest(manifest));
    const { address, allowAddress, isForbidden } = addressToAllow(wanted, rules);
    if (isForbidden) return { ...nothing, name, notes: shown.notes, result: 'refused', reason };
    const allowPackage = packageToAllow(allowlist, rules);
    return {
      ...describe(shown, wanted),
      result: 'blocked',
      reason: blockedReason(error, reason, { ...rules, allowPackage }),
      ...(allowAddress !== undefined && { allowAddress }),
      ...(allowPackage !== undefined && { allowPackage: allowPackage.package }),
      ...(allowlist ? { warning: programWarning } : address !== undefined && { warning: addressWarning(address) }),
      manifest,
    };
  }
  const facts = { ...describe(shown, valid), price: valid.billing?.rental?.price ?? 0, manifest };
  // the allow-list has this alias for another program
  if (allowlist)
    return {
      ...facts,
      result: 'blocked',
      reason: `the allow-list of programs starts something else under this name: change its entry to the one below in ${file}, and restart Souk`,
      warning: programWarning,
    };
  if (!current) return { ...facts, result: 'ready' };
  const changes = differencesOf(current, valid).map(({ text }) => text);
  if (changes.length === 0)
    return { ...facts, result: 'unchanged', reason: `version ${current.version} is already here`, changes };
  return { ...facts, result: 'ready', changes };
}

function describe<Shown>(shown: Shown, { id, name, version, connection }: Manifest) {
  return { ...shown, id, title: name, version, kind: connection.type };
}

/** Returns the address that an administrator may allow, or whether it must not be allowed at all. */
function addressToAllow(
  { connection }: Manifest,
  { administratorsMayAllow, publicUrl }: Rules,
): { address?: string; allowAddress?: string; isForbidden?: boolean } {
  const url = connection.type === 'stdio' ? null : URL.parse(connection.url);
  if (!url || url.protocol === 'service:') return {};
  const by = mayBeAllowed(url, publicUrl);
  if (by === 'by no one') return { isForbidden: true };
  const address = `${url.hostname}:${portOf(url)}`;
  return { address, ...(administratorsMayAllow && by === 'by administrators' && { allowAddress: address }) };
}

/** Warns the administrator before they allow an address: a stranger may have written the import. */
const addressWarning = (address: string) =>
  `Once ${address} is allowed, every manifest can make Souk connect there, also with plain http. Allow it only if you run the MCP server there.`;

/** Plain names of manifest fields, for which imported formats have other names. */
const fieldNames: Readonly<Record<string, string>> = {
  'connection.url': 'its address',
  'connection.command': 'its program',
};

function sayIssues({ message, issues = [] }: SoukError): string {
  const said = issues.map(({ path, message: rule }) => (path === '' ? rule : `${fieldNames[path] ?? path} ${rule}`));
  return said.length > 0 ? said.slice(0, 10).join('; ') : message;
}

const file = 'the file that STDIO_ALLOWLIST names (catalogue/stdio-allowlist.json where it names none)';

/** Returns the form with which administrators may allow a package, equivalent to the entry of the operator's list. */
function packageToAllow(
  allowlist: Drafted['allowlist'],
  { startsPrograms, administratorsMayAllowPackages }: Rules,
): AllowedPackageForm | undefined {
  const [alias, entry] = Object.entries(allowlist ?? {})[0] ?? [];
  if (!startsPrograms || !administratorsMayAllowPackages || !isRecord(entry)) return undefined;
  const { npm, network: _network, ...start } = entry;
  const { data } = allowedPackageFormSchema.safeParse({ ...start, alias, package: npm, network: 'public' });
  if (!data) return undefined;
  try {
    checkPackage(data);
    return data;
  } catch (error) {
    if (error instanceof SoukError) return undefined;
    throw error;
  }
}

function blockedReason(
  { code }: SoukError,
  reason: string,
  { startsPrograms, allowPackage }: Pick<Rules, 'startsPrograms'> & { allowPackage: AllowedPackageForm | undefined },
): string {
  if (code === 'url_not_allowed') return reason;
  if (allowPackage) {
    const { alias, package: wanted } = allowPackage;
    return `its program is not on the allow-list of programs: allow ${wanted} with the alias ${alias} under Allow List, or the operator adds the entry below to ${file}, and restarts Souk`;
  }
  return startsPrograms
    ? `its program is not on the allow-list of programs: add the entry below to ${file}, and restart Souk`
    : `programs are off here: set STDIO=allowlist, add the entry below to ${file}, and restart Souk`;
}
