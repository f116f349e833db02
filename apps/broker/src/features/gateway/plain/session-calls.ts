import type { ClientCapabilities } from '@modelcontextprotocol/server';
import type { Cancellation } from '#adapters/mcp/plain/cancellation.ts';
import { asRecord } from '#adapters/mcp/plain/json-object.ts';

/** The ids of a session that are in use. */
type SessionIds = { hold(id: string | number): boolean; free(id: string | number): void };

/** A plain call in its session. */
export type PlainEntry = {
  /** Leaves the id to the SDK's transport, which answers the call from now on. */
  giveId(): void;
  leave(): void;
};

/** The plain calls under way in one legacy session: so that they can be cancelled, and each id is in use once. */
export type PlainCalls = {
  readonly sessionId: string;
  /** What the session's client can do; undefined before it has said so. */
  readonly capabilities: ClientCapabilities | undefined;
  /** Takes a call in; undefined when its id is in use. */
  begin(id: string | number, cancellation: Cancellation): PlainEntry | undefined;
  /** Looks whether a message cancels one of them. */
  heed(body: unknown): void;
  /** The session is over. */
  end(): void;
};

/** One of them: a class, since there is one for each call. */
class EnteredCall implements PlainEntry {
  readonly #ids: SessionIds;
  readonly #calls: Map<string | number, Cancellation>;
  readonly #id: string | number;
  readonly #cancellation: Cancellation;
  #isHeld = true;

  constructor(ids: SessionIds, calls: Map<string | number, Cancellation>, id: string | number, ends: Cancellation) {
    this.#ids = ids;
    this.#calls = calls;
    this.#id = id;
    this.#cancellation = ends;
    calls.set(id, ends);
  }

  giveId(): void {
    if (this.#isHeld) this.#ids.free(this.#id);
    this.#isHeld = false;
  }

  leave(): void {
    this.giveId();
    // the id may be another call's by now
    if (this.#calls.get(this.#id) === this.#cancellation) this.#calls.delete(this.#id);
  }
}

/** @param ids what is in use in the session, on either way */
export function createPlainCalls(
  sessionId: string,
  ids: SessionIds,
  readCapabilities: () => ClientCapabilities | undefined,
): PlainCalls {
  let capabilities: ClientCapabilities | undefined;
  const calls = new Map<string | number, Cancellation>();
  return {
    sessionId,
    get capabilities() {
      return (capabilities ??= readCapabilities());
    },
    begin(id, cancellation) {
      return ids.hold(id) ? new EnteredCall(ids, calls, id, cancellation) : undefined;
    },
    heed(body) {
      const message = calls.size > 0 ? asRecord(body) : undefined;
      if (message?.['method'] !== 'notifications/cancelled') return;
      const id = asRecord(message['params'])?.['requestId'];
      if (typeof id === 'string' || typeof id === 'number') calls.get(id)?.abort();
    },
    end() {
      for (const cancellation of calls.values()) cancellation.abort();
    },
  };
}
