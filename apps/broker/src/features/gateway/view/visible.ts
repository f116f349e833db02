import { ownUri, type CatalogueItem, type CatalogueServer, type CatalogueSnapshot } from '#features/catalogue/index.ts';
import type { Now, PersonalView, SeenServers, WhyHidden } from './personal-view.ts';
import type { RequestContext } from './request-context.ts';

/** The items that a request may list and call. Lists and calls both use it. */
export type Visible = {
  servers: readonly CatalogueServer[];
  /** Includes tools under review, which no list shows: a call of such a tool fails with the reason. */
  tool(name: string): Found | undefined;
  prompt(name: string): Found | undefined;
  /** The server of an item that the user does not see, and why. */
  hidden(kind: ItemKind, name: string): Hidden | undefined;
};
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

/** Returns no promise if everything about the user is in memory. */
export function visibleTo(context: RequestContext, snapshot: CatalogueSnapshot, view: PersonalView): Now<Visible> {
  const seen = view(context.caller.userId);
  return seen instanceof Promise
    ? seen.then((read) => visibleThrough(read, context, snapshot))
    : visibleThrough(seen, context, snapshot);
}

function visibleThrough(seen: SeenServers, { serverId }: RequestContext, snapshot: CatalogueSnapshot): Visible {
  let servers: readonly CatalogueServer[] | undefined;
  // lazy: a call needs one server, only a list needs all
  const visibleServers = () =>
    (servers ??= snapshot.servers
      .filter((server) => serverId === undefined || server.id === serverId)
      .flatMap((server) => seen.part(server) ?? []));
  const exposed = {
    tool: snapshot.toolsByExposedName,
    prompt: snapshot.promptsByExposedName,
    resource: snapshot.resourcesByExposedName,
  };

  /** Finds the item with this name on this link in the whole catalogue, with its unfiltered server. */
  const inCatalogue = (kind: ItemKind, name: string): Found | undefined => {
    if (serverId === undefined) {
      const item = exposed[kind].get(name);
      const server = item && snapshot.byId.get(item.serverId);
      return server && { server, item };
    }
    const server = snapshot.byId.get(serverId);
    const item = server && itemsOf[kind](server).find((candidate) => candidate.name === name);
    return server && item && { server, item };
  };

  const find = (kind: ItemKind, name: string): Found | undefined => {
    if (serverId !== undefined) {
      // the user's upstream account may offer more than the catalogue has
      const [server] = visibleServers();
      const item = server && itemsOf[kind](server).find((candidate) => candidate.name === name);
      return server && item && { server, item };
    }
    const found = inCatalogue(kind, name);
    const server = found && seen.part(found.server);
    if (!server) return undefined;
    return server === found.server || itemsOf[kind](server).includes(found.item)
      ? { server, item: found.item }
      : undefined;
  };

  return {
    get servers() {
      return visibleServers();
    },
    tool: (name) => find('tool', name),
    prompt: (name) => find('prompt', name),
    hidden(kind, name) {
      const found = inCatalogue(kind, name);
      const server = found?.server ?? (kind === 'resource' ? namedOwner(name, snapshot) : undefined);
      const why = server && seen.whyHidden(server);
      return server && why && { server, name: found?.item.name ?? ownUri(server.slug, name), why };
    },
  };
}

/** The server named in the prefix of a URI (souk://slug/…), whether or not the URI is listed. */
function namedOwner(address: string, { servers }: CatalogueSnapshot): CatalogueServer | undefined {
  return servers.find(({ slug }) => ownUri(slug, address) !== address);
}
