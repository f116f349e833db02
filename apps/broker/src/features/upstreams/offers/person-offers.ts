import {
  isAddress,
  personalEntry,
  withoutAddresses,
  type CatalogueServer,
  type CatalogueSnapshot,
  type OfferedItem,
} from '#features/catalogue/index.ts';

type OfferedKind = 'tool' | 'prompt' | 'resource';

/** One person's list of one server, as it was read. Its entry is built once for each catalogue entry. */
export class LoadedOffer {
  readonly serverId: string;
  readonly revision: string;
  readonly items: readonly OfferedItem[];
  /** About what it takes in memory. */
  readonly bytes: number;
  readonly #names: Readonly<Record<OfferedKind, ReadonlySet<string>>>;
  /** Its addresses, each with the time since when it is its own on /mcp. */
  readonly uris: ReadonlyMap<string, number | undefined>;
  #built: { server: CatalogueServer; snapshot: CatalogueSnapshot; beside: Beside; entry: CatalogueServer } | undefined;

  constructor(serverId: string, revision: string, items: readonly OfferedItem[]) {
    this.serverId = serverId;
    this.revision = revision;
    this.items = items;
    this.bytes = JSON.stringify(items).length * 2;
    const names = (kind: OfferedKind) =>
      new Set(items.flatMap((item) => (item.kind === kind ? [item.exposedName] : [])));
    this.#names = { tool: names('tool'), prompt: names('prompt'), resource: names('resource') };
    this.uris = new Map(items.filter(isAddress).map(({ name, ownedSinceMs }) => [name, ownedSinceMs]));
  }

  has(kind: OfferedKind, exposedName: string): boolean {
    return this.#names[kind].has(exposedName);
  }

  entry(server: CatalogueServer, snapshot: CatalogueSnapshot, beside: Beside): CatalogueServer {
    const known = this.#built;
    // only addresses depend on what other servers have
    const isSame = this.uris.size === 0 || (known?.snapshot === snapshot && known.beside.key === beside.key);
    if (known?.server === server && isSame) return known.entry;
    const isTaken = (uri: string) => {
      const own = ownerOf(uri, beside.offers);
      if (own) return own !== this;
      if (isOfAnother(server.id, uri, snapshot)) return true;
      // of one address that several of the person's servers have, the first keeps it
      return beside.offers.find(({ uris }) => uris.has(uri)) !== this;
    };
    const entry = personalEntry(server, this.items, isTaken);
    this.#built = { server, snapshot, beside, entry };
    return entry;
  }
}

/** The templates of all servers by their names on /mcp: made once for each state of the catalogue that needs it. */
const templateOwners = new WeakMap<CatalogueSnapshot, ReadonlyMap<string, string>>();

/** Whether another server of the catalogue has an address on /mcp. */
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

/** Of a person's servers the one that had an address first, when no other server had it: it keeps it. */
function ownerOf(uri: string, offers: readonly LoadedOffer[]): LoadedOffer | undefined {
  const since = (offer: LoadedOffer) => offer.uris.get(uri) ?? Infinity;
  const [owner] = offers.filter((offer) => since(offer) < Infinity).toSorted((a, b) => since(a) - since(b));
  return owner;
}

/** All offers of one person; `key` differs when they do. */
type Beside = { offers: readonly LoadedOffer[]; key: string };

/** What one person's accounts are offered, as lists and calls ask for it. */
export class PersonOffers {
  readonly #snapshot: () => CatalogueSnapshot;
  readonly #beside: Beside;
  readonly #isOf: (server: CatalogueServer) => boolean;
  readonly bytes: number;
  readonly #current = new WeakMap<CatalogueServer, boolean>();
  /** The entries of servers that are the same for everyone, beside what the person's own have. */
  #shared: { snapshot: CatalogueSnapshot; parts: WeakMap<CatalogueServer, CatalogueServer> } | undefined;

  /** @param isOf whether the person's account is for the server as it is deployed now */
  constructor(
    offers: readonly LoadedOffer[],
    snapshot: () => CatalogueSnapshot,
    isOf: (server: CatalogueServer) => boolean,
  ) {
    this.#beside = { offers, key: offers.map(({ revision }) => revision).join() };
    this.#snapshot = snapshot;
    this.#isOf = isOf;
    this.bytes = offers.reduce((sum, { bytes }) => sum + bytes, 1_000);
  }

  get loaded(): readonly LoadedOffer[] {
    return this.#beside.offers;
  }

  /** The entry of a server as this person has it; of a server that asks nobody to sign in, or not yet asked, the shop's. */
  part(server: CatalogueServer): CatalogueServer {
    const offer = this.loaded.find(({ serverId }) => serverId === server.id);
    if (!offer || !this.#isCurrent(server)) return this.loaded.length === 0 ? server : this.#besideOwn(server);
    return offer.entry(server, this.#snapshot(), this.#beside);
  }

  /** The id of the server that offers this person something of this name on /mcp. */
  ownerOf(kind: OfferedKind, exposedName: string): string | undefined {
    return this.loaded.find((offer) => offer.has(kind, exposedName))?.serverId;
  }

  #besideOwn(server: CatalogueServer): CatalogueServer {
    const snapshot = this.#snapshot();
    if (this.#shared?.snapshot !== snapshot) this.#shared = { snapshot, parts: new WeakMap() };
    const known = this.#shared.parts.get(server);
    if (known) return known;
    const isKept = (offer: LoadedOffer) => {
      const owner = snapshot.byId.get(offer.serverId);
      return owner !== undefined && owner.id !== server.id && this.#isCurrent(owner);
    };
    const others = this.loaded.filter(isKept);
    const part = withoutAddresses(server, (uri) => ownerOf(uri, others) !== undefined);
    this.#shared.parts.set(server, part);
    return part;
  }

  #isCurrent(server: CatalogueServer): boolean {
    let isCurrent = this.#current.get(server);
    if (isCurrent === undefined) this.#current.set(server, (isCurrent = this.#isOf(server)));
    return isCurrent;
  }
}
