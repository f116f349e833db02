import {
  isAddress,
  personalEntry,
  withPrefixedAddresses,
  type CatalogueServer,
  type CatalogueSnapshot,
  type PersonalItem,
} from '#features/catalogue/index.ts';

type ItemKind = 'tool' | 'prompt' | 'resource';

/** One user's list of one server, as read. Its entry is cached per catalogue entry. */
export class LoadedList {
  readonly serverId: string;
  readonly revision: string;
  readonly items: readonly PersonalItem[];
  /** Approximate memory. */
  readonly bytes: number;
  readonly #names: Readonly<Record<ItemKind, ReadonlySet<string>>>;
  /** Addresses of the list, each with the time since which the list owns it on /mcp, if it does. */
  readonly uris: ReadonlyMap<string, number | undefined>;
  #built: { server: CatalogueServer; snapshot: CatalogueSnapshot; all: UserLists; entry: CatalogueServer } | undefined;

  constructor(serverId: string, revision: string, items: readonly PersonalItem[]) {
    this.serverId = serverId;
    this.revision = revision;
    this.items = items;
    this.bytes = JSON.stringify(items).length * 2;
    const names = (kind: ItemKind) => new Set(items.flatMap((item) => (item.kind === kind ? [item.exposedName] : [])));
    this.#names = { tool: names('tool'), prompt: names('prompt'), resource: names('resource') };
    this.uris = new Map(items.filter(isAddress).map(({ name, ownedSinceMs }) => [name, ownedSinceMs]));
  }

  has(kind: ItemKind, exposedName: string): boolean {
    return this.#names[kind].has(exposedName);
  }

  entry(server: CatalogueServer, snapshot: CatalogueSnapshot, all: UserLists): CatalogueServer {
    const known = this.#built;
    // only addresses depend on other servers
    const isSame = this.uris.size === 0 || (known?.snapshot === snapshot && known.all.key === all.key);
    if (known?.server === server && isSame) return known.entry;
    const isTaken = (uri: string) => {
      const own = ownerOf(uri, all.lists);
      if (own) return own !== this;
      if (isOfAnother(server.id, uri, snapshot)) return true;
      // the first of the user's servers with this address keeps it
      return all.lists.find(({ uris }) => uris.has(uri)) !== this;
    };
    const entry = personalEntry(server, this.items, isTaken);
    this.#built = { server, snapshot, all, entry };
    return entry;
  }
}

/** The owners of templates by their names on /mcp, built once per snapshot. */
const templateOwners = new WeakMap<CatalogueSnapshot, ReadonlyMap<string, string>>();

/** Returns whether another server of the catalogue has an address on /mcp. */
export function isOfAnother(serverId: string, uri: string, snapshot: CatalogueSnapshot): boolean {
  let templates = templateOwners.get(snapshot);
  if (!templates) {
    const named = snapshot.servers.flatMap(({ id, templates: own }) =>
      own.map((item) => [item.exposedName, id] as const),
    );
    templateOwners.set(snapshot, (templates = new Map(named)));
  }
  const owner = snapshot.resourcesByExposedName.get(uri)?.serverId ?? templates.get(uri);
  return owner !== undefined && owner !== serverId;
}

/** Returns the list of the user's server that has owned an address longest; undefined if none owns it. */
function ownerOf(uri: string, lists: readonly LoadedList[]): LoadedList | undefined {
  const since = (list: LoadedList) => list.uris.get(uri) ?? Infinity;
  const [owner] = lists.filter((list) => since(list) < Infinity).toSorted((a, b) => since(a) - since(b));
  return owner;
}

/** All lists of one user. `key` changes with the lists. */
type UserLists = { lists: readonly LoadedList[]; key: string };

/** Personal tools of one user's accounts, as lists and calls read them. */
export class ToolsOfUser {
  readonly #snapshot: () => CatalogueSnapshot;
  readonly #all: UserLists;
  readonly #isOf: (server: CatalogueServer) => boolean;
  readonly bytes: number;
  readonly #current = new WeakMap<CatalogueServer, boolean>();
  /** Shared entries of servers, with a prefix on the addresses that the user's own servers own. */
  #shared: { snapshot: CatalogueSnapshot; parts: WeakMap<CatalogueServer, CatalogueServer> } | undefined;

  /** @param isOf whether the user's account is for the server as it is deployed now */
  constructor(
    lists: readonly LoadedList[],
    snapshot: () => CatalogueSnapshot,
    isOf: (server: CatalogueServer) => boolean,
  ) {
    this.#all = { lists, key: lists.map(({ revision }) => revision).join() };
    this.#snapshot = snapshot;
    this.#isOf = isOf;
    this.bytes = lists.reduce((sum, { bytes }) => sum + bytes, 1_000);
  }

  get loaded(): readonly LoadedList[] {
    return this.#all.lists;
  }

  /**
   * Returns the entry of a server for this user: the shop's, if the server needs no sign-in or its list was not read
   * yet.
   */
  part(server: CatalogueServer): CatalogueServer {
    const list = this.loaded.find(({ serverId }) => serverId === server.id);
    if (!list || !this.#isCurrent(server)) return this.loaded.length === 0 ? server : this.#sharedEntry(server);
    return list.entry(server, this.#snapshot(), this.#all);
  }

  /** Returns the id of the server that lists an item with this name on /mcp for this user. */
  ownerOf(kind: ItemKind, exposedName: string): string | undefined {
    return this.loaded.find((list) => list.has(kind, exposedName))?.serverId;
  }

  #sharedEntry(server: CatalogueServer): CatalogueServer {
    const snapshot = this.#snapshot();
    if (this.#shared?.snapshot !== snapshot) this.#shared = { snapshot, parts: new WeakMap() };
    const known = this.#shared.parts.get(server);
    if (known) return known;
    const isKept = (list: LoadedList) => {
      const owner = snapshot.byId.get(list.serverId);
      return owner !== undefined && owner.id !== server.id && this.#isCurrent(owner);
    };
    const others = this.loaded.filter(isKept);
    const part = withPrefixedAddresses(server, (uri) => ownerOf(uri, others) !== undefined);
    this.#shared.parts.set(server, part);
    return part;
  }

  #isCurrent(server: CatalogueServer): boolean {
    let isCurrent = this.#current.get(server);
    if (isCurrent === undefined) this.#current.set(server, (isCurrent = this.#isOf(server)));
    return isCurrent;
  }
}
