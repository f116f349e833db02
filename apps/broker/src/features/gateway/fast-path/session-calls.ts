import type { ClientCapabilities } from '@modelcontextprotocol/server';
import type { Cancellation } from '#platform/cancellation.ts';
import { asRecord } from '#platform/json.ts';

type SessionIds = {
  claim(id: string | number): boolean;
  free(id: string | number): void;
  /** Called when a call that had claimed an id has been answered. */
  left(): void;
};

export type SessionCalls = ReturnType<typeof createSessionCalls>;

/** A call of a session. A class, because each call creates one. */
export class SessionCall {
  readonly #ids: SessionIds;
  readonly #calls: Map<string | number, Cancellation>;
  readonly #id: string | number;
  readonly #cancellation: Cancellation;
  #ownsId = true;

  constructor(ids: SessionIds, calls: Map<string | number, Cancellation>, id: string | number, ends: Cancellation) {
    this.#ids = ids;
    this.#calls = calls;
    this.#id = id;
    this.#cancellation = ends;
    calls.set(id, ends);
  }

  /** Frees the id for the SDK's transport, which answers the call from now on. */
  giveId(): void {
    if (this.#ownsId) this.#ids.free(this.#id);
    this.#ownsId = false;
  }

  leave(): void {
    this.giveId();
    // another call may have this id by now
    if (this.#calls.get(this.#id) === this.#cancellation) this.#calls.delete(this.#id);
    this.#ids.left();
  }
}

/**
 * The running fast-path calls of one legacy session: they can be canceled, and their ids are unique.
 * @param ids the ids in use in the session, on the fast path and through the SDK
 */
export function createSessionCalls(
  sessionId: string,
  ids: SessionIds,
  client: { capabilities(): ClientCapabilities | undefined; program(): string | undefined },
) {
  let capabilities: ClientCapabilities | undefined;
  let program: string | undefined;
  const calls = new Map<string | number, Cancellation>();
  return {
    sessionId,
    /** The capabilities of the session's client; undefined before it has sent them. */
    get capabilities(): ClientCapabilities | undefined {
      return (capabilities ??= client.capabilities());
    },
    get program(): string | undefined {
      return (program ??= client.program());
    },
    /** Registers a call; undefined if its id is in use. */
    begin(id: string | number, cancellation: Cancellation): SessionCall | undefined {
      return ids.claim(id) ? new SessionCall(ids, calls, id, cancellation) : undefined;
    },
    /** Cancels a call if the message is its cancellation. */
    handle(body: unknown): void {
      const message = calls.size > 0 ? asRecord(body) : undefined;
      if (message?.['method'] !== 'notifications/cancelled') return;
      const id = asRecord(message['params'])?.['requestId'];
      if (typeof id === 'string' || typeof id === 'number') calls.get(id)?.abort();
    },
    end(): void {
      for (const cancellation of calls.values()) cancellation.abort();
    },
  };
}
