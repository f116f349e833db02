import type { CatalogueItem, CatalogueServer } from '#features/catalogue/index.ts';
import type { PersonalView } from './personal-view.ts';
import type { RequestContext } from './request-context.ts';

export type ListKind = 'tools' | 'prompts' | 'resources';

export type ListChanges = (context: RequestContext) => readonly ListKind[];

const everyKind: readonly ListKind[] = ['tools', 'prompts', 'resources'];

/** Marks all lists of one user as changed. Undefined stands for every user, as `userId` and as the result. */
export function changedFor(userId: string | undefined): ListChanges | undefined {
  if (userId === undefined) return undefined;
  return ({ caller }) => (caller.userId === userId ? everyKind : []);
}

type Changed = { server: CatalogueServer; kinds: readonly ListKind[] };

/**
 * Finds the lists that a change of the catalogue changed; undefined if there are none. For a user whose view is not in
 * memory, everything that changed counts.
 * @param servers the refetched servers; `before` has their previous state, and servers that are no longer deployed
 */
export function changesOf(
  servers: readonly CatalogueServer[],
  before: readonly CatalogueServer[],
  view: PersonalView,
): ListChanges | undefined {
  const now = new Set(servers.map(({ id }) => id));
  const earlier = new Map(before.map((server) => [server.id, server]));
  const gone = before.filter(({ id }) => !now.has(id)).map((server) => ({ server, kinds: everyKind }));
  const changed: Changed[] = [...gone, ...servers.flatMap((server) => changeOf(earlier.get(server.id), server))];
  if (changed.length === 0) return undefined;
  return ({ caller, serverId }) => {
    const concerned = changed.filter(({ server }) => serverId === undefined || server.id === serverId);
    const seen = concerned.length > 0 ? view(caller.userId) : undefined;
    const kinds = concerned.flatMap(({ server, kinds: own }) =>
      seen && !(seen instanceof Promise) && seen.whyHidden(server) ? [] : own,
    );
    return everyKind.filter((kind) => kinds.includes(kind));
  };
}

function changeOf(before: CatalogueServer | undefined, server: CatalogueServer): Changed[] {
  if (before === server) return [];
  if (before?.deployedAtMs !== server.deployedAtMs) return [{ server, kinds: everyKind }];
  if (before.offersHash === server.offersHash) return [];
  const kinds = everyKind.filter((kind) => textOf(kind, before) !== textOf(kind, server));
  // a change may concern tools under review alone, which are in no list
  return kinds.length > 0 ? [{ server, kinds }] : [];
}

function textOf(kind: ListKind, { tools, prompts, resources, templates }: CatalogueServer): string {
  const items = kind === 'tools' ? tools : kind === 'prompts' ? prompts : [...resources, ...templates];
  return JSON.stringify(items.map(itemText));
}

const itemText = ({ exposedName, sha256, asks, price }: CatalogueItem) => [exposedName, sha256, asks, price];
