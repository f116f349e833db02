import type { ClientCapabilities, LoggingLevel } from '@modelcontextprotocol/server';
import type { CatalogueItem, CatalogueServer, CatalogueSnapshot } from '#features/catalogue/index.ts';
import type { Connections, OfferedPart } from '#features/connections/index.ts';
import type { Caller } from '#platform/http/caller.ts';

/**
 * Decides which servers somebody may use: reads what is needed once, then answers for each server. At once where nothing
 * has to be read.
 */
export type AccessPolicy = (userId: string) => Now<MayUse>;
type MayUse = (server: CatalogueServer) => boolean;

/** What is mostly known already, and is waited for only where it is not. */
type Now<T> = T | Promise<T>;

/** Until there is something to buy: what is free is open to everybody signed in. A manifest without billing is T0. */
export const freeForAll: AccessPolicy = () => isFree;
const isFree: MayUse = (server) => (server.manifest.billing?.tier ?? 'T0') === 'T0';

/** What somebody sees of each server; undefined for those that they may not use or have switched off. */
export type PersonalView = (userId: string) => Now<Seen>;
type Seen = (server: CatalogueServer) => CatalogueServer | undefined;

/**
 * Of what a policy allows, what the person has not switched off, and of that what their own connection offers. Lists and
 * calls both ask it: neither knows more.
 */
export function viewOf(
  access: AccessPolicy,
  { preferences, offers }: Pick<Connections, 'preferences' | 'offers'>,
): PersonalView {
  return (userId) => {
    const mayUse = access(userId);
    const disabled = preferences.disabledServers(userId);
    const offered = offers.partFor(userId);
    return mayUse instanceof Promise || disabled instanceof Promise || offered instanceof Promise
      ? Promise.all([mayUse, disabled, offered]).then((read) => seenOf(...read))
      : seenOf(mayUse, disabled, offered);
  };
}

function seenOf(mayUse: MayUse, disabled: ReadonlySet<string>, offeredPart: OfferedPart): Seen {
  return (server) => (!disabled.has(server.id) && mayUse(server) ? offeredPart(server) : undefined);
}

/** One request's view of the gateway: who asks, and through which of the two links. */
export type Person = {
  caller: Caller;
  /** Set on /s/{serverId}/mcp: this server alone, under its own names. */
  serverId: string | undefined;
  /** What their client can be asked, once it has said so: servers up to 2025-11-25 hear of it at the handshake. */
  capabilities?: ClientCapabilities | undefined;
  /** From which level on their client hears what servers log, once it has said so for its session (up to 2025-11-25). */
  logLevel?: LoggingLevel | undefined;
};

/** What a person may see and call: lists and calls read this alike, so that neither knows more than the other. */
export type Visible = {
  servers: readonly CatalogueServer[];
  /** Held tools too, which no list shows: a call is told why. */
  tool(name: string): Found | undefined;
  prompt(name: string): Found | undefined;
};
export type Found = { server: CatalogueServer; item: CatalogueItem };

/** At once when everything about the person is in memory. */
export function visibleTo(person: Person, snapshot: CatalogueSnapshot, view: PersonalView): Now<Visible> {
  const seen = view(person.caller.userId);
  return seen instanceof Promise
    ? seen.then((read) => visibleThrough(read, person, snapshot))
    : visibleThrough(seen, person, snapshot);
}

function visibleThrough(seen: Seen, person: Person, snapshot: CatalogueSnapshot): Visible {
  const single = person.serverId;
  let servers: readonly CatalogueServer[] | undefined;
  // a call of one tool asks for one server: the rest are looked at when somebody lists them
  const visibleServers = () =>
    (servers ??= snapshot.servers
      .filter((server) => single === undefined || server.id === single)
      .flatMap((server) => seen(server) ?? []));

  const find = (
    exposed: ReadonlyMap<string, CatalogueItem>,
    own: (server: CatalogueServer) => readonly CatalogueItem[],
    name: string,
  ): Found | undefined => {
    if (single !== undefined) {
      const [server] = visibleServers();
      const item = server && own(server).find((candidate) => candidate.name === name);
      return server && item && { server, item };
    }
    const item = exposed.get(name);
    const whole = item && snapshot.byId.get(item.serverId);
    const server = whole && seen(whole);
    if (!item || !server) return undefined;
    return server === whole || own(server).includes(item) ? { server, item } : undefined;
  };

  return {
    get servers() {
      return visibleServers();
    },
    tool: (name) => find(snapshot.toolsByExposedName, (server) => [...server.tools, ...server.heldTools], name),
    prompt: (name) => find(snapshot.promptsByExposedName, (server) => server.prompts, name),
  };
}

/** The name under which this person sees an item. */
export function shownName(person: Person, item: CatalogueItem): string {
  return person.serverId === undefined ? item.exposedName : item.name;
}
