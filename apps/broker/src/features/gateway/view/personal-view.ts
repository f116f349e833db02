import type { EntitlementPolicy, IsEntitled } from '#features/billing/index.ts';
import type { CatalogueServer } from '#features/catalogue/index.ts';
import type { ToolsOfUser, Upstreams } from '#features/upstreams/index.ts';

/** A value that is usually in memory; a promise only when it has to be read. */
export type Now<T> = T | Promise<T>;

/** The view that a user has of each server. Lists and calls both use it, so they always agree. */
export type PersonalView = (userId: string) => Now<SeenServers>;

export type SeenServers = {
  /** The part of a server that the user sees; undefined if they may not use it or have switched it off. */
  part(server: CatalogueServer): CatalogueServer | undefined;
  /** Why the user does not see a server; undefined if they do. */
  whyHidden(server: CatalogueServer): WhyHidden | undefined;
  /** This user's personal tools, whether or not the user sees their servers. */
  own: ToolsOfUser;
};
export type WhyHidden = 'not_included' | 'switched_off';

/** Shows a user each server that they may use and have not switched off, with their personal tools. */
export function createPersonalView(
  entitlement: EntitlementPolicy,
  { preferences, personalTools }: Pick<Upstreams, 'preferences' | 'personalTools'>,
): PersonalView {
  return (userId) => {
    const isEntitled = entitlement(userId);
    const disabled = preferences.disabledServers(userId);
    const offered = personalTools.of(userId);
    return isEntitled instanceof Promise || disabled instanceof Promise || offered instanceof Promise
      ? Promise.all([isEntitled, disabled, offered]).then((read) => seenServers(...read))
      : seenServers(isEntitled, disabled, offered);
  };
}

function seenServers(isEntitled: IsEntitled, disabled: ReadonlySet<string>, own: ToolsOfUser): SeenServers {
  const whyHidden = (server: CatalogueServer): WhyHidden | undefined => {
    if (!isEntitled(server)) return 'not_included';
    return disabled.has(server.id) ? 'switched_off' : undefined;
  };
  return { whyHidden, own, part: (server) => (whyHidden(server) ? undefined : own.part(server)) };
}
