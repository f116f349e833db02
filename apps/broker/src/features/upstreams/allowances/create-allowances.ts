import type { AllowedPackageForm } from '@souk/contract/admin/allowances.ts';
import type { DecidedBy } from '#platform/audit/decided-by.ts';
import type { Clock } from '#platform/clock.ts';
import type { Config } from '#platform/config.ts';
import type { Database } from '#platform/db/database.ts';
import { SoukError } from '#platform/errors.ts';
import { isOfPrivateNetwork, type LimitedEntry } from '#platform/http/outgoing/limited-entry.ts';
import type { ResolveName } from '#platform/http/outgoing/name-lookups.ts';
import type { Log } from '#platform/log.ts';
import { followRows } from '../follow-rows.ts';
import { lookUpPackage, type FoundPackage } from '../processes/package-installer.ts';
import type { AllowedProgram } from '../processes/stdio-programs.ts';
import { allowanceChannel, createAllowanceRows, type AddressRow, type PackageRow } from './allowance-rows.ts';
import { checkAddress, isClosed, type ClosedPorts } from './check-address.ts';
import { checkPackage, codeOf, programOf } from './check-package.ts';

/** Changed entries of addresses, and changed aliases of packages. */
type AllowanceChange = {
  added: readonly LimitedEntry[];
  removed: readonly LimitedEntry[];
  addedPrograms: readonly string[];
  removedPrograms: readonly string[];
};

/** The addresses and packages that administrators allow in addition to the operator's lists, in memory. */
export type Allowances = {
  /** Returns the entries in force: none if the operator does not let administrators add any. */
  addresses(): readonly LimitedEntry[];
  addressRows(): readonly AddressRow[];
  /** @returns the entry as stored. @throws SoukError operator_decides, invalid_request */
  addAddress(asked: { entry: string; note: string }, by: DecidedBy): Promise<string>;
  /** @throws SoukError not_found */
  removeAddress(entry: string, by: DecidedBy): Promise<void>;
  /** Returns the programs in force by alias: none if the operator does not let administrators add any. */
  programs(): ReadonlyMap<string, AllowedProgram>;
  packageRows(): readonly PackageRow[];
  mayAddPackages: boolean;
  /** @throws SoukError operator_decides, invalid_request */
  previewPackage(form: AllowedPackageForm): Promise<FoundPackage & { code: string }>;
  /** @throws SoukError operator_decides, invalid_request, changed_since_shown */
  addPackage(form: AllowedPackageForm, code: string, by: DecidedBy): Promise<void>;
  /** @throws SoukError not_found */
  removePackage(alias: string, by: DecidedBy): Promise<void>;
  /** Calls `listener` after a change by any broker. */
  onChange(listener: (change: AllowanceChange) => void): void;
  stop(): Promise<void>;
};

type AllowanceOptions = {
  db: Database;
  config: Pick<Config, 'adminMayAllow' | 'databaseUrl' | 'listenUrl' | 'port' | 'metrics' | 'stdio' | 'outgoingProxy'>;
  resolve: ResolveName;
  /** Contains npm's own settings; by default this process's environment. */
  environment?: NodeJS.ProcessEnv | undefined;
  clock: Clock;
  log: Log;
};

export async function createAllowances(options: AllowanceOptions): Promise<Allowances> {
  const { config, log } = options;
  const rows = createAllowanceRows(options);
  const closed = closedPorts(config);
  const mayAddPackages = config.adminMayAllow.packages && config.stdio === 'allowlist';
  const listeners = new Set<(change: AllowanceChange) => void>();
  let known: readonly AddressRow[] = [];
  let entries: readonly LimitedEntry[] = [];
  let packages: readonly PackageRow[] = [];
  let programs: ReadonlyMap<string, AllowedProgram> = new Map();
  const stopping = new AbortController();
  const lookUp = createPackageLookUp(options, mayAddPackages, stopping.signal);

  async function read(): Promise<void> {
    const before = entries;
    known = await rows.readAddresses();
    const kept = new Map(before.map((one) => [one.entry, one]));
    if (config.adminMayAllow.addresses) {
      entries = known.map((row) => kept.get(row.entry) ?? limitedEntry(row, closed));
    }
    const added = entries.filter((one) => !kept.has(one.entry));
    const removed = before.filter((one) => !entries.includes(one));
    const earlier = programs;
    packages = await rows.readPackages();
    if (mayAddPackages) programs = new Map(packages.map(({ form, lock }) => [form.alias, programOf(form, lock)]));
    // another package with the same alias is another program
    const isSame = (alias: string) => earlier.get(alias)?.allowed.place === programs.get(alias)?.allowed.place;
    const addedPrograms = [...programs.keys()].filter((alias) => !isSame(alias));
    const removedPrograms = [...earlier.keys()].filter((alias) => !isSame(alias));
    if (added.length + removed.length + addedPrograms.length + removedPrograms.length === 0) return;
    for (const listener of listeners) listener({ added, removed, addedPrograms, removedPrograms });
  }

  const { reload, stop } = await followRows(options.db, allowanceChannel, read, (error) =>
    log.error({ err: error }, 'the allowances of administrators could not be re-read'),
  );
  return {
    addresses: () => entries,
    addressRows: () => known,
    async addAddress({ entry, note }, by) {
      if (!config.adminMayAllow.addresses) {
        throw new SoukError('operator_decides', {
          message:
            'The operator decides which private addresses are allowed: ADMIN_MAY_ALLOW=addresses lets administrators add some.',
        });
      }
      const checked = await checkAddress(entry, { closed, resolve: options.resolve });
      await rows.addAddress({ ...checked, note }, by);
      await reload();
      return checked.entry;
    },
    async removeAddress(entry, by) {
      await rows.remove('addresses', entry, by);
      await reload();
    },
    programs: () => programs,
    packageRows: () => packages,
    mayAddPackages,
    previewPackage: lookUp,
    async addPackage(form, code, by) {
      const found = await lookUp(form);
      if (found.code !== code) {
        throw new SoukError('changed_since_shown', {
          message: `${form.package} has changed since it was shown to you: its form, or what the registry returns. Nothing was allowed. Review it again.`,
        });
      }
      await rows.addPackage(form, found, by);
      await reload();
    },
    async removePackage(alias, by) {
      await rows.remove('packages', alias, by);
      await reload();
    },
    onChange: (listener) => void listeners.add(listener),
    async stop() {
      stopping.abort();
      await stop();
    },
  };
}

/** Longest lock that is stored, since each broker reads it. */
const maxLockCharacters = 1024 * 1024;

const refusePackage = (message: string) => new SoukError('invalid_request', { message });

/** Returns a function that looks up one package at a time, because each look-up is a process. */
function createPackageLookUp(options: AllowanceOptions, mayAddPackages: boolean, signal: AbortSignal) {
  const { environment = process.env, config, log } = options;
  let isLookingUp = false;
  return async (form: AllowedPackageForm): Promise<FoundPackage & { code: string }> => {
    if (!mayAddPackages) {
      throw new SoukError('operator_decides', {
        message:
          'The operator decides which programs are started: ADMIN_MAY_ALLOW=packages, with STDIO=allowlist, lets administrators add packages of npm.',
      });
    }
    checkPackage(form);
    if (isLookingUp) throw refusePackage('Another package is being looked up. Try again in a moment.');
    isLookingUp = true;
    try {
      const found = await lookUpPackage(form.package, { environment, proxy: config.outgoingProxy, signal });
      if (found.lock.length > maxLockCharacters) throw refusePackage(`${form.package} has too many dependencies.`);
      return { ...found, code: codeOf(form, found.lock) };
    } catch (error) {
      if (error instanceof SoukError) throw error;
      const reason = error instanceof Error ? error.message : String(error);
      log.warn({ package: form.package, reason }, 'a package could not be looked up');
      throw refusePackage(`${form.package} could not be looked up in the registry: ${reason.slice(0, 500)}`);
    } finally {
      isLookingUp = false;
    }
  };
}

function limitedEntry({ entry, addresses }: AddressRow, closed: ClosedPorts): LimitedEntry {
  const pinned = addresses.length === 0 ? undefined : new Set(addresses);
  return {
    entry,
    opens: (address, port) =>
      isOfPrivateNetwork(address) && !isClosed(address, port, closed) && (pinned?.has(address) ?? true),
  };
}

function closedPorts({ databaseUrl, listenUrl, port, metrics }: AllowanceOptions['config']): ClosedPorts {
  const portOfDatabase = (url: string | undefined) => (url === undefined ? [] : Number(new URL(url).port || 5432));
  return {
    database: new Set([databaseUrl, listenUrl].flatMap(portOfDatabase)),
    own: new Set([port, metrics?.port].flatMap((one) => one ?? [])),
  };
}
