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
 * The lists of servers for each user's account. They are discovered in the background over the user's own connection,
 * stored, and visible only to that user: requests for lists never wait for a server.
 */
export type PersonalTools = {
  /** Returns a user's lists. Every list and call reads them: for a few seconds from memory, without a promise. */
  of(userId: string): ToolsOfUser | Promise<ToolsOfUser>;
  /** Discovers a server in the background after the user's account there changed. */
  signedIn(userId: string, serverId: string): void;
  /** Called when a server announced changed lists on this user's connection. */
  listChanged(userId: string, serverId: string): void;
  connected(userId: string, serverId: string): void;
  /** Discovers the user's servers again on their request, except those discovered in the last 10 s. */
  refresh(userId: string): Promise<void>;
  /** Discards the cached lists of this user, or of every user if undefined, because they may have changed. */
  forget(userId: string | undefined): void;
  /** Stops discoveries. Resolves when those under way have ended. */
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

  /** Discovers a server if its list was never read, is stale, or belongs to another version. */
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
