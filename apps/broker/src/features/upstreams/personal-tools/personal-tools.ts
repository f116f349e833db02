import { needsOwnSecrets } from '../sign-in/credentials.ts';
import { AskedAccounts, noticeIntervalMs, type AskParts } from './ask-accounts.ts';
import type { ListedAccount } from './personal-tool-store.ts';
import { LoadedList, ToolsOfUser } from './tools-of-user.ts';
import { createRememberedTools } from './remembered-tools.ts';

/** Age after which a user's next request refetches a list: a notice may be missed while no connection is open. */
const staleMs = 60 * 60_000;
/** Delays of retries after a sign-in. Later failures are retried on the user's requests. */
const retryMs = [2_000, 10_000, 60_000];
const requestRetryMs = 30_000;
/** Memory of the cached lists of all users. */
const maxMemoryBytes = 64 * 1024 * 1024;

/**
 * The lists that servers offer to each user's account (gateway.md, Lists never wait for upstreams). They are discovered with
 * the user's own connection in the background, stored, and visible to that user alone.
 */
export type PersonalTools = {
  /** Read at every list and call: from memory, without a promise, for a few seconds. */
  of(userId: string): ToolsOfUser | Promise<ToolsOfUser>;
  /** Asks a server in the background after the user's account there changed. */
  signedIn(userId: string, serverId: string): void;
  /** Called when a server announced changed lists on this user's connection. */
  listChanged(userId: string, serverId: string): void;
  /** Called when a connection of this user was opened. */
  connected(userId: string, serverId: string): void;
  /** Asks the user's servers again on their request, except those asked in the last 10 s. */
  refresh(userId: string): Promise<void>;
  /** Discards what is cached of this user, or of every user if undefined: it may have changed. */
  forget(userId: string | undefined): void;
  /** Asks no server from now on. Resolves when the questions under way have ended. */
  stop(): Promise<void>;
};

export function createPersonalTools(parts: AskParts): PersonalTools {
  const { store, catalogue, clock } = parts;
  const asked = new AskedAccounts(parts);
  const remembered = createRememberedTools(read, { clock, maxBytes: maxMemoryBytes });

  async function read(userId: string, before: ToolsOfUser | undefined): Promise<ToolsOfUser> {
    const heads = await store.heads(userId);
    const known = new Map(before?.loaded.map((list) => [list.serverId, list]));
    const loaded = await Promise.all(
      heads.map(async ({ serverId, stored }) => {
        if (!stored) return [];
        const same = known.get(serverId);
        if (same?.revision === stored.revision) return [same];
        const list = await store.list(userId, serverId);
        return list ? [new LoadedList(serverId, stored.revision, list.items)] : [];
      }),
    );
    for (const head of heads) askIfDue(userId, head);
    const byServer = new Map(heads.map((head) => [head.serverId, head]));
    return new ToolsOfUser(loaded.flat(), catalogue.snapshot, (server) => {
      const head = byServer.get(server.id);
      return head !== undefined && needsOwnSecrets(server) && parts.isOf(server, head);
    });
  }

  /** Asks a server if its list was never read, or is stale or of an older version. */
  function askIfDue(userId: string, { serverId, state, stored }: ListedAccount): void {
    const server = asked.serverOf(serverId);
    if (!server || state !== 'signed-in' || server.status !== 'connected') return;
    const isDue = stored?.version !== server.manifest.version || clock.now() - stored.discoveredAtMs >= staleMs;
    if (isDue && asked.sinceAskedMs(userId, serverId) >= requestRetryMs) asked.askNow(userId, serverId);
  }

  return {
    of: remembered.get,
    forget: remembered.forget,
    signedIn: (userId, serverId) => asked.askNow(userId, serverId, retryMs),
    listChanged: (userId, serverId) => asked.listChanged(userId, serverId),
    connected(userId, serverId) {
      if (asked.sinceAskedMs(userId, serverId) >= staleMs) asked.askNow(userId, serverId);
    },
    async refresh(userId) {
      for (const { serverId, state } of await store.heads(userId)) {
        const isDue = asked.sinceAskedMs(userId, serverId) >= noticeIntervalMs;
        if (state === 'signed-in' && isDue) asked.askNow(userId, serverId);
      }
    },
    stop: () => asked.stop(),
  };
}
