import { ownUri, type CatalogueItem, type CatalogueServer, type CatalogueSnapshot } from '#features/catalogue/index.ts';
import type { Now, PersonalView, SeenServers, WhyHidden } from './personal-view.ts';
import type { RequestContext } from './request-context.ts';

export type Found = { server: CatalogueServer; item: CatalogueItem };
/** `name` is the server's own. */
export type Hidden = { server: CatalogueServer; name: string; why: WhyHidden };

type ItemKind = 'tool' | 'prompt' | 'resource';
type Items = (server: CatalogueServer) => readonly CatalogueItem[];

const itemsOf: Readonly<Record<ItemKind, Items>> = {
  tool: (server) => [...server.tools, ...server.toolsUnderReview],
  prompt: (server) => server.prompts,
  resource: (server) => server.resources,
};

const exposedItems = {
  tool: 'toolsByExposedName',
  prompt: 'promptsByExposedName',
  resource: 'resourcesByExposedName',
} as const;

/** Returns no promise if everything about the user is in memory. */
export function visibleTo(context: RequestContext, snapshot: CatalogueSnapshot, view: PersonalView): Now<Visible> {
  const seen = view(context.caller.userId);
  return seen instanceof Promise
    ? seen.then((read) => new Visible(read, context, snapshot))
    : new Visible(seen, context, snapshot);
}

/**
 * The items that a request may list and call. Lists and calls both use it. A class, because each call creates one: unlike
 * closures and an object's getter, its methods cost nothing to create.
 */
export class Visible {
  readonly #seen: SeenServers;
  readonly #serverId: string | undefined;
  readonly #snapshot: CatalogueSnapshot;
  #servers: readonly CatalogueServer[] | undefined;

  constructor(seen: SeenServers, { serverId }: RequestContext, snapshot: CatalogueSnapshot) {
    this.#seen = seen;
    this.#serverId = serverId;
    this.#snapshot = snapshot;
  }

  /** Lazy: a call needs one server, only a list needs all. */
  get servers(): readonly CatalogueServer[] {
    return (this.#servers ??= this.#snapshot.servers
      .filter((server) => this.#serverId === undefined || server.id === this.#serverId)
      .flatMap((server) => this.#seen.part(server) ?? []));
  }

  /** Includes tools under review, which no list shows: a call of such a tool fails with the reason. */
  tool(name: string): Found | undefined {
    return this.#find('tool', name);
  }

  prompt(name: string): Found | undefined {
    return this.#find('prompt', name);
  }

  /** The server of an item that the user does not see, and why. */
  hidden(kind: ItemKind, name: string): Hidden | undefined {
    const found = this.#inCatalogue(kind, name) ?? this.#inPersonal(kind, name);
    const server = found?.server ?? (kind === 'resource' ? namedOwner(name, this.#snapshot) : undefined);
    const why = server && this.#seen.whyHidden(server);
    return server && why && { server, name: found?.item.name ?? ownUri(server.slug, name), why };
  }

  /** The servers of this link that the user may know about but does not see, each with their personal tools. */
  get hiddenServers(): readonly { server: CatalogueServer; why: WhyHidden }[] {
    return this.#snapshot.servers.flatMap((server) => {
      if (this.#serverId !== undefined && server.id !== this.#serverId) return [];
      const why = this.#seen.whyHidden(server);
      return why ? [{ server: this.#seen.own.part(server), why }] : [];
    });
  }

  #find(kind: ItemKind, name: string): Found | undefined {
    if (this.#serverId !== undefined) {
      const [server] = this.servers;
      const item = server && itemsOf[kind](server).find((candidate) => candidate.name === name);
      return server && item && { server, item };
    }
    const found = this.#inCatalogue(kind, name);
    const owner = found?.server ?? this.#personalOwner(kind, name);
    const server = owner && this.#seen.part(owner);
    if (!server) return undefined;
    if (server === found?.server) return found;
    const item = exposedIn(server, kind).get(name);
    return item && { server, item };
  }

  /** Finds the item with this name on this link in the whole catalogue, with its unfiltered server. */
  #inCatalogue(kind: ItemKind, name: string): Found | undefined {
    if (this.#serverId === undefined) {
      const item = this.#snapshot[exposedItems[kind]].get(name);
      const server = item && this.#snapshot.byId.get(item.serverId);
      return server && { server, item };
    }
    const server = this.#snapshot.byId.get(this.#serverId);
    const item = server && itemsOf[kind](server).find((candidate) => candidate.name === name);
    return server && item && { server, item };
  }

  /** Finds the item among the user's personal tools, even on a server that the user does not see. */
  #inPersonal(kind: ItemKind, name: string): Found | undefined {
    const server = this.#personalOwner(kind, name);
    if (!server) return undefined;
    const part = this.#seen.own.part(server);
    const item =
      this.#serverId === undefined
        ? exposedIn(part, kind).get(name)
        : itemsOf[kind](part).find((candidate) => candidate.name === name);
    return item && { server, item };
  }

  #personalOwner(kind: ItemKind, name: string): CatalogueServer | undefined {
    const serverId = this.#serverId ?? this.#seen.own.ownerOf(kind, name);
    return serverId === undefined ? undefined : this.#snapshot.byId.get(serverId);
  }
}

/** The items of a server by their names on /mcp. Used for servers with personal tools, which the snapshot's maps lack. */
function exposedIn(server: CatalogueServer, kind: ItemKind): ReadonlyMap<string, CatalogueItem> {
  let known = indexes.get(server);
  if (!known) indexes.set(server, (known = {}));
  return (known[kind] ??= new Map(itemsOf[kind](server).map((item) => [item.exposedName, item])));
}

const indexes = new WeakMap<CatalogueServer, Partial<Record<ItemKind, ReadonlyMap<string, CatalogueItem>>>>();

/** The server named in the prefix of a URI (souk://slug/…), whether or not the URI is listed. */
function namedOwner(address: string, { servers }: CatalogueSnapshot): CatalogueServer | undefined {
  return servers.find(({ slug }) => ownUri(slug, address) !== address);
}
