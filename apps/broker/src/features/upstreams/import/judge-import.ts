import { allowedPackageFormSchema, type AllowedPackageForm } from '@souk/contract/admin/allowances.ts';
import type { ImportEntry } from '@souk/contract/admin/imports.ts';
import { completeManifest, manifestSchema, type Manifest } from '@souk/contract/manifest/manifest.ts';
import { checkManifest, differencesOf, type ManifestPolicy } from '#features/catalogue/index.ts';
import { SoukError } from '#platform/errors.ts';
import { isRecord } from '#platform/json.ts';
import { portOf } from '#platform/http/outgoing/allowed-addresses.ts';
import { mayBeAllowed } from '#platform/http/outgoing/upstream-address-rule.ts';
import { checkPackage } from '../allowances/check-package.ts';
import { programWarning } from './program-warning.ts';
import type { Drafted } from './draft-manifest.ts';

/** What is said of an entry that nothing can be made of. */
export const nothing = { price: 0, secrets: [], notes: [] };

export type Rules = {
  policy: ManifestPolicy;
  /** Whether programs are started at all (STDIO). */
  startsPrograms: boolean;
  administratorsMayAllow: boolean;
  /** Administrators may add packages of npm to the programs. */
  administratorsMayAllowPackages: boolean;
  /** The address of this shop. */
  publicUrl: string;
};

/**
 * Whether a manifest can be staged here, and what it is.
 * @param more notes beside those of its draft
 * @param current the manifest that is here already
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
    // it is valid: this installation alone does not allow it
    const wanted = manifestSchema.parse(completeManifest(manifest));
    const { address, allowAddress, isHopeless } = addressToAllow(wanted, rules);
    if (isHopeless) return { ...nothing, name, notes: shown.notes, result: 'refused', reason };
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
  const of = { ...describe(shown, valid), price: valid.billing?.rental?.price ?? 0, manifest };
  // another program of the allow-list has this alias
  if (allowlist)
    return {
      ...of,
      result: 'blocked',
      reason: `the allow-list of programs starts something else under this name: change its entry to the one below in ${file}, and restart Souk`,
      warning: programWarning,
    };
  if (!current) return { ...of, result: 'ready' };
  const changes = differencesOf(current, valid).map(({ text }) => text);
  if (changes.length === 0)
    return { ...of, result: 'unchanged', reason: `version ${current.version} is here already`, changes };
  return { ...of, result: 'ready', changes };
}

function describe<Shown>(shown: Shown, { id, name, version, connection }: Manifest) {
  return { ...shown, id, title: name, version, kind: connection.type };
}

/** Says whether an administrator may allow its address, or no one should. */
function addressToAllow(
  { connection }: Manifest,
  { administratorsMayAllow, publicUrl }: Rules,
): { address?: string; allowAddress?: string; isHopeless?: boolean } {
  const url = connection.type === 'stdio' ? null : URL.parse(connection.url);
  if (!url || url.protocol === 'service:') return {};
  const by = mayBeAllowed(url, publicUrl);
  if (by === 'by no one') return { isHopeless: true };
  const address = `${url.hostname}:${portOf(url)}`;
  return { address, ...(administratorsMayAllow && by === 'by administrators' && { allowAddress: address }) };
}

/** An import that a stranger wrote asks for more than a manifest can: the administrator reads it before they allow it. */
const addressWarning = (address: string) =>
  `Once ${address} is allowed, every manifest can make Souk connect there, also with plain http. Allow it only if you run the MCP server there.`;

/** Imported forms may have other names for these fields of a manifest. */
const fieldNames: Readonly<Record<string, string>> = {
  'connection.url': 'its address',
  'connection.command': 'its program',
};

function sayIssues({ message, issues = [] }: SoukError): string {
  const said = issues.map(({ path, message: rule }) => (path === '' ? rule : `${fieldNames[path] ?? path} ${rule}`));
  return said.length > 0 ? said.slice(0, 10).join('; ') : message;
}

const file = 'the file that STDIO_ALLOWLIST names (catalogue/stdio-allowlist.json where it names none)';

/** The form of a package that administrators may allow, as the entry of the operator's list would start it. */
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
