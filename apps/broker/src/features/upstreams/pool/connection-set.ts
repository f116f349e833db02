import { isProgram } from './connection-key.ts';
import type { OpenConnection } from './open-connection.ts';

/**
 * The upstream connections of this broker. Each is current (found by its key), set aside (closed when its calls have
 * ended) or ending.
 */
export class ConnectionSet {
  readonly #current = new Map<string, OpenConnection>();
  readonly #setAside = new Set<OpenConnection>();
  /** Connections being closed. A stop waits for them; otherwise a process could outlive it. */
  readonly #ending = new Map<OpenConnection, Promise<void>>();
  /** Functions that report the end of a replaced program, for which its successor waits. */
  readonly #endOfReplaced = new Map<OpenConnection, () => void>();

  find(key: string): OpenConnection | undefined {
    return this.#current.get(key);
  }

  where(test: (entry: OpenConnection) => boolean): OpenConnection[] {
    return [...this.#current.values()].filter(test);
  }

  all(): OpenConnection[] {
    return [...this.#current.values(), ...this.#setAside];
  }

  allOf(serverId: string): OpenConnection[] {
    return this.all().filter(({ server }) => server.id === serverId);
  }

  /** Makes a connection the current one of its key. */
  add(entry: OpenConnection): void {
    this.#current.set(entry.key, entry);
  }

  forget(entry: OpenConnection): void {
    if (this.#current.get(entry.key) === entry) this.#current.delete(entry.key);
  }

  /**
   * Sends no new calls over a connection, and closes it when its calls have ended. A program that gets a new call
   * before then stays, since only one process of it may run.
   */
  retire(entry: OpenConnection): void {
    entry.isRetired = true;
    if (entry.inFlight === 0) return void this.close(entry);
    if (!isProgram(entry.server)) this.#putAside(entry);
  }

  /**
   * Begins no new use of a connection, and closes it when its calls have ended, even if a lasting use remains. The next
   * process of a program starts when this one has ended.
   */
  replace(entry: OpenConnection): void {
    if (this.#setAside.has(entry) && entry.isReplaced) return;
    entry.isReplaced = true;
    this.#putAside(entry);
    if (isProgram(entry.server)) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#endOfReplaced.set(entry, resolve);
      this.#ending.set(entry, promise);
    }
    this.#closeReplaced(entry);
  }

  /** Closes a connection whose use was released, if it is retired or replaced and has no calls left. */
  closeIfDone(entry: OpenConnection): void {
    if (entry.isRetired && entry.inFlight === 0) void this.close(entry);
    else this.#closeReplaced(entry);
  }

  /** Closes a connection. Resolves when its socket or process has ended. */
  close(entry: OpenConnection): Promise<void> {
    this.forget(entry);
    this.#setAside.delete(entry);
    const end = entry.opening
      .then(
        (upstream) => upstream.close(),
        () => {},
      )
      .finally(() => {
        this.#ending.delete(entry);
        this.#endOfReplaced.get(entry)?.();
        this.#endOfReplaced.delete(entry);
      });
    this.#ending.set(entry, end);
    return end;
  }

  async closeAll(): Promise<void> {
    for (const entry of this.all()) void this.close(entry);
    await Promise.all(this.#ending.values());
  }

  /** Waits for earlier connections of a key: two processes of one identity would write the same files. */
  predecessorsEnded(key: string): Promise<unknown> {
    return Promise.all([...this.#ending].map(([entry, end]) => entry.key === key && end));
  }

  #putAside(entry: OpenConnection): void {
    this.forget(entry);
    this.#setAside.add(entry);
  }

  #closeReplaced(entry: OpenConnection): void {
    if (entry.isReplaced && entry.inFlight === entry.lasting) void this.close(entry);
  }
}
