import type { DecidedBy } from '#platform/audit/decided-by.ts';
import type { Clock } from '#platform/clock.ts';
import { SealedTextError, type Vault } from '#platform/crypto/vault.ts';
import type { Database } from '#platform/db/database.ts';
import type { Log } from '#platform/log.ts';
import { followRows } from '../follow-rows.ts';
import { createSecretRows, secretChannel, type SecretOf, type SecretRow } from './secret-rows.ts';

/** Former values remembered per server, because a process that was started with one may still print it. */
const maxFormerValues = 64;

/** An entered secret. `isReadable`: this broker's master key opens it. */
export type EnteredSecret = SecretOf & { setBy: string | null; setAt: Date; isReadable: boolean };

type CachedSecret = { row: SecretRow; value: string | undefined };

const isSame = ({ row }: CachedSecret, { kind, name, place }: SecretOf) =>
  row.kind === kind && row.name === name && row.place === place;

/** Caches the secrets that administrators entered for servers, so that requests do not wait for the database. */
export async function createServerSecrets(options: { db: Database; vault: Vault; clock: Clock; log: Log }) {
  const { clock, log } = options;
  const rows = createSecretRows(options);
  const listeners = new Set<(serverId: string) => void>();
  let cached = new Map<string, readonly CachedSecret[]>();
  const former = new Map<string, Set<string>>();

  function openRow(row: SecretRow): CachedSecret {
    try {
      return { row, value: rows.open(row) };
    } catch (error) {
      if (!(error instanceof SealedTextError)) throw error;
      const { serverId: server, name } = row;
      log.error({ server, secret: name, reason: error.message }, 'a secret of a server cannot be read: enter it again');
      return { row, value: undefined };
    }
  }

  function remember(serverId: string, values: readonly CachedSecret[]): void {
    const known = former.get(serverId) ?? new Set();
    former.set(serverId, known);
    for (const { value } of values) if (value !== undefined) known.add(value);
    for (const value of known) {
      if (known.size <= maxFormerValues) break;
      known.delete(value);
    }
  }

  /**
   * Returns whether a row still has the same value. A rotation of the master key seals it again, without closing
   * connections.
   */
  function isUnchanged(row: SecretRow, known: CachedSecret | undefined): boolean {
    if (row.sealed === known?.row.sealed) return true;
    return known !== undefined && isSame(known, row) && row.setAt.getTime() === known.row.setAt.getTime();
  }

  async function read(serverId: string): Promise<void> {
    const found = Map.groupBy(await rows.read(serverId === '' ? undefined : [serverId]), (row) => row.serverId);
    const concerned = serverId === '' ? new Set([...cached.keys(), ...found.keys()]) : new Set([serverId]);
    const next = new Map(cached);
    const changed: string[] = [];
    for (const id of concerned) {
      const before = cached.get(id) ?? [];
      const now = found.get(id) ?? [];
      if (before.length === now.length && now.every((row, at) => isUnchanged(row, before[at]))) continue;
      remember(id, before);
      if (now.length === 0) next.delete(id);
      else next.set(id, now.map(openRow));
      changed.push(id);
    }
    cached = next;
    for (const id of changed) {
      log.hideValues?.(`server ${id}`, valuesOf(id));
      for (const listener of listeners) listener(id);
    }
  }

  const valuesOf = (serverId: string) => [
    ...(cached.get(serverId) ?? []).flatMap(({ value }) => value ?? []),
    ...(former.get(serverId) ?? []),
  ];

  const { reload, stop } = await followRows(options.db, secretChannel, read, (error) =>
    log.error({ err: error }, 'the secrets of servers could not be re-read'),
  );

  return {
    /** Returns the value for exactly this place; undefined if none was entered or it cannot be read. */
    find: (of: SecretOf): string | undefined => cached.get(of.serverId)?.find((each) => isSame(each, of))?.value,
    entered: (serverId: string): readonly EnteredSecret[] =>
      (cached.get(serverId) ?? []).map(({ row: { sealed: _sealed, ...row }, value }) => ({
        ...row,
        isReadable: value !== undefined,
      })),
    /** Returns the values that must not be shown: the current ones, and former ones since the start. */
    valuesOf,
    /** @throws SoukError invalid_request when the server has too many */
    async put(of: SecretOf, value: string, by: DecidedBy): Promise<void> {
      await rows.put(of, value, by, new Date(clock.now()));
      await reload(of.serverId);
    },
    /** @throws SoukError not_found */
    async remove(of: SecretOf, by: DecidedBy): Promise<void> {
      await rows.remove(of, by, new Date(clock.now()));
      await reload(of.serverId);
    },
    /** Calls `listener` after a change of a server's secrets by any broker. */
    onChange: (listener: (serverId: string) => void): void => void listeners.add(listener),
    stop,
  };
}

export type ServerSecrets = Awaited<ReturnType<typeof createServerSecrets>>;
