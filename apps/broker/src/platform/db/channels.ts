import type { Log } from '../log.ts';

type Handler = (payload: string) => void;

/** The handlers of each NOTIFY channel, independent of the engine's connection. */
export type Channels = {
  deliver(channel: string, payload: string): void;
  /** Adds a handler, and returns a function that removes it. The channel's first and last handler send LISTEN and UNLISTEN. */
  add(channel: string, handler: Handler, send: (statement: string) => Promise<void>): Promise<() => Promise<void>>;
  names(): string[];
};

export function createChannels(log?: Log): Channels {
  const handlers = new Map<string, Set<Handler>>();
  return {
    deliver(channel, payload) {
      for (const handler of handlers.get(channel) ?? []) {
        try {
          handler(payload);
        } catch (error) {
          log?.error({ err: error, channel }, 'a handler of a notification failed');
        }
      }
    },
    async add(channel, handler, send) {
      const own = (payload: string) => handler(payload); // lets the same handler be added twice
      const known = handlers.get(channel);
      if (known) known.add(own);
      else handlers.set(channel, new Set([own]));
      if (!known) await send(`listen ${quoted(channel)}`);
      return async () => {
        const rest = handlers.get(channel);
        if (!rest?.delete(own) || rest.size > 0) return;
        handlers.delete(channel);
        await send(`unlisten ${quoted(channel)}`);
      };
    },
    names: () => [...handlers.keys()],
  };
}

/** An identifier for SQL. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
