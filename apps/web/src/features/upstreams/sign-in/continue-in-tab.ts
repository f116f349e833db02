import { z } from 'zod';

const key = 'souk.connect.continue';
const screens = ['connect', 'service', 'dashboard'] as const;

const continuationSchema = z.object({
  /** Identifies the sign-in, also at the callback. */
  state: z.string(),
  userId: z.string(),
  serverId: z.string(),
  /** The sign-in was part of switching the server on, which is repeated once afterwards. */
  enables: z.boolean(),
  screen: z.enum(screens),
});
export type Continuation = z.infer<typeof continuationSchema>;

/** The parts of a browser that this needs; tests pass their own. */
export type TabHost = {
  storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;
  pathname: string;
  leaveTo: (address: string) => void;
};

/** Goes to a sign-in at a server in this tab, and remembers what to do when the browser comes back. */
export function continueInTab(
  authUrl: string,
  what: Pick<Continuation, 'userId' | 'serverId' | 'enables'>,
  host: TabHost = browserTab(),
): void {
  const state = URL.parse(authUrl)?.searchParams.get('state') ?? '';
  const screen = screens.find((name) => host.pathname.startsWith(`/${name}`)) ?? 'connect';
  const continuation: Continuation = { ...what, state, screen };
  try {
    host.storage.setItem(key, JSON.stringify(continuation));
  } catch {
    // storage is forbidden: the sign-in works, and the user switches the server on themselves
  }
  host.leaveTo(authUrl);
}

/** Returns what this tab was about to do when it left for the sign-in `state`, once. */
export function takeContinuation(
  state: string,
  host: Pick<TabHost, 'storage'> = browserTab(),
): Continuation | undefined {
  try {
    const stored = host.storage.getItem(key);
    host.storage.removeItem(key);
    const continuation = continuationSchema.safeParse(JSON.parse(stored ?? 'null')).data;
    return continuation?.state === state ? continuation : undefined;
  } catch {
    return undefined;
  }
}

export function pathAfter({ screen, serverId }: Pick<Continuation, 'screen' | 'serverId'>): string {
  return screen === 'dashboard' ? '/dashboard' : `/${screen}/${encodeURIComponent(serverId)}`;
}

function browserTab(): TabHost {
  return {
    storage: window.sessionStorage,
    pathname: window.location.pathname,
    leaveTo: (address) => window.location.assign(address),
  };
}
