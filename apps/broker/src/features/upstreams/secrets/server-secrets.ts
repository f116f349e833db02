import type { DecidedBy } from '#platform/audit/decided-by.ts';
import type { Clock } from '#platform/clock.ts';
import { SealedTextError, type Vault } from '#platform/crypto/vault.ts';
import type { Database } from '#platform/db/database.ts';
import type { Log } from '#platform/log.ts';
import { followRows } from '../follow-rows.ts';
import { createSecretRows, secretChannel, type SecretOf, type SecretRow } from './secret-rows.ts';

/** Former values remembered per server: a process that was started with one may still write it. */
const formerOfServer = 64;

/** An entered secret. `isReadable`: this broker's master key opens it. */
export type EnteredSecret = SecretOf & { setBy: string | null; setAt: Date; isReadable: boolean };

type Kept = { row: SecretRow; value: string | undefined };

const isSame = ({ row }: Kept, { kind, name, place }: SecretOf) =>
  row.kind === kind && row.name === name && row.place === place;

/** The secrets that administrators entered for servers, in memory, so that requests do not wait for them. */
export async function createServerSecrets(options: { db: Database; vault: Vault; clock: Clock; log: Log }) {
  const { clock, log } = options;
  const rows = createSecretRows(options);
  const listeners = new Set<(serverId: string) => void>();
  let kept = new Map<string, readonly Kept[]>();
  const former = new Map<string, Set<string>>();

  function keepRow(row: SecretRow): Kept {
    try {
      return { row, value: rows.open(row) };
    } catch (error) {
      if (!(error instanceof SealedTextError)) throw error;
      const { serverId: server, name } = row;
      log.error({ server, secret: name, reason: error.message }, 'a secret of a server cannot be read: enter it again');
      return { row, value: undefined };
    }
  }

  function remember(serverId: string, values: readonly Kept[]): void {
    const known = former.get(serverId) ?? new Set();
    former.set(serverId, known);
    for (const { value } of values) if (value !== undefined) known.add(value);
    for (const value of known) {
      if (known.size <= formerOfServer) break;
      known.delete(value);
    }
  }

  /** Returns whether a row has the same value. A rotation of the master key seals it again; connections with it stay open. */
  function isUnchanged(row: SecretRow, known: Kept | undefined): boolean {
    if (row.sealed === known?.row.sealed) return true;
    return known !== undefined && isSame(known, row) && row.setAt.getTime() === known.row.setAt.getTime();
  }

  async function read(serverId: string): Promise<void> {
    const found = Map.groupBy(await rows.read(serverId === '' ? undefined : [serverId]), (row) => row.serverId);
    const concerned = serverId === '' ? new Set([...kept.keys(), ...found.keys()]) : new Set([serverId]);
    const next = new Map(kept);
    const changed: string[] = [];
    for (const id of concerned) {
      const before = kept.get(id) ?? [];
      const now = found.get(id) ?? [];
      if (before.length === now.length && now.every((row, at) => isUnchanged(row, before[at]))) continue;
      remember(id, before);
      if (now.length === 0) next.delete(id);
      else next.set(id, now.map(keepRow));
      changed.push(id);
    }
    kept = next;
    for (const id of changed) {
      log.hideValues?.(`server ${id}`, valuesOf(id));
      for (const listener of listeners) listener(id);
    }
  }

  const valuesOf = (serverId: string) => [
    ...(kept.get(serverId) ?? []).flatMap(({ value }) => value ?? []),
    ...(former.get(serverId) ?? []),
  ];

  const { reload, stop } = await followRows(options.db, secretChannel, read, (error) =>
    log.error({ err: error }, 'the secrets of servers could not be re-read'),
  );

  return {
    /** Returns the value for exactly this place; undefined if none was entered or it cannot be read. */
    find: (of: SecretOf): string | undefined => kept.get(of.serverId)?.find((each) => isSame(each, of))?.value,
    entered: (serverId: string): readonly EnteredSecret[] =>
      (kept.get(serverId) ?? []).map(({ row: { sealed: _sealed, ...row }, value }) => ({
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
