import type { McpServer } from '@modelcontextprotocol/server';
import type { Cancellation } from '#adapters/mcp/plain/cancellation.ts';
import { asRecord } from '#adapters/mcp/plain/json-object.ts';

/** The plain calls under way in one legacy session: so that they can be cancelled, and each id is in use once. */
export type PlainCalls = {
  readonly sessionId: string;
  /** Takes a call in; undefined when its id is in use. The answer takes it out again. */
  begin(id: string | number, cancellation: Cancellation): (() => void) | undefined;
  /** Looks whether a message cancels one of them. */
  heed(body: unknown): void;
  /** The session is over. */
  end(): void;
};

export function createPlainCalls(sessionId: string): PlainCalls {
  const calls = new Map<unknown, Cancellation>();
  return {
    sessionId,
    begin(id, cancellation) {
      if (calls.has(id)) return undefined;
      calls.set(id, cancellation);
      return () => void calls.delete(id);
    },
    heed(body) {
      const message = calls.size > 0 ? asRecord(body) : undefined;
      if (message?.['method'] !== 'notifications/cancelled') return;
      calls.get(asRecord(message['params'])?.['requestId'])?.abort();
    },
    end() {
      for (const cancellation of calls.values()) cancellation.abort();
    },
  };
}

/** With one of these a server may ask the person in the middle of a call: that needs the SDK's objects. */
const interactive = ['elicitation', 'sampling', 'roots'];

export function isInteractive(capabilities: object): boolean {
  return interactive.some((name) => name in capabilities);
}

/** Whether the client of a session can be asked something; unknown counts as yes. */
export function isAskable({ server }: McpServer): boolean {
  const capabilities = server.getClientCapabilities();
  return !capabilities || isInteractive(capabilities);
}
