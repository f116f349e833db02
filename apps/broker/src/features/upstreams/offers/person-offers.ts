import {
  personalEntry,
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
  readonly uris: ReadonlySet<string>;
  #built: { server: CatalogueServer; snapshot: CatalogueSnapshot; beside: Beside; entry: CatalogueServer } | undefined;

  constructor(serverId: string, revision: string, items: readonly OfferedItem[]) {
    this.serverId = serverId;
    this.revision = revision;
    this.items = items;
    this.bytes = JSON.stringify(items).length * 2;
    const names = (kind: OfferedKind) =>
      new Set(items.flatMap((item) => (item.kind === kind ? [item.exposedName] : [])));
    this.#names = { tool: names('tool'), prompt: names('prompt'), resource: names('resource') };
    this.uris = new Set(items.flatMap(({ kind, name }) => (kind === 'resource' || kind === 'template' ? [name] : [])));
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
      const owner = snapshot.resourcesByExposedName.get(uri)?.serverId;
      if (owner !== undefined && owner !== server.id) return true;
      // of one address that several of the person's servers have, the first keeps it
      return beside.offers.find(({ uris }) => uris.has(uri)) !== this;
    };
    const entry = personalEntry(server, this.items, isTaken);
    this.#built = { server, snapshot, beside, entry };
    return entry;
  }
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
    if (!offer || !this.#isCurrent(server)) return server;
    return offer.entry(server, this.#snapshot(), this.#beside);
  }

  /** The id of the server that offers this person something of this name on /mcp. */
  ownerOf(kind: OfferedKind, exposedName: string): string | undefined {
    return this.loaded.find((offer) => offer.has(kind, exposedName))?.serverId;
  }

  #isCurrent(server: CatalogueServer): boolean {
    let isCurrent = this.#current.get(server);
    if (isCurrent === undefined) this.#current.set(server, (isCurrent = this.#isOf(server)));
    return isCurrent;
  }
}
