import { z } from 'zod';
import type { CatalogueServer, Discovered } from '#features/catalogue/index.ts';

const names = z.array(z.string());

/** The names of what a server offers to one person's account, which may be less or more than others get. */
export const offeredSchema = z.object({ tools: names, prompts: names, resources: names, templates: names });
export type Offered = z.output<typeof offeredSchema>;

/** In a fixed order, so that equal offers are stored as equal rows. */
export function namesOf({ tools, prompts, resources, templates }: Discovered): Offered {
  return {
    tools: sorted(tools, 'name'),
    prompts: sorted(prompts, 'name'),
    resources: sorted(resources, 'uri'),
    templates: sorted(templates, 'uriTemplate'),
  };
}

function sorted(definitions: readonly Record<string, unknown>[], key: string): string[] {
  return definitions.flatMap(({ [key]: name }) => (typeof name === 'string' ? [name] : [])).toSorted();
}

/** The part of a server's catalogue entry that this person is offered too. Definitions are the catalogue's. */
export function meet(server: CatalogueServer, offered: Offered): CatalogueServer {
  const only = (listed: readonly string[]) => {
    const known = new Set(listed);
    return ({ name }: { name: string }) => known.has(name);
  };
  return {
    ...server,
    tools: server.tools.filter(only(offered.tools)),
    toolsUnderReview: server.toolsUnderReview.filter(only(offered.tools)),
    prompts: server.prompts.filter(only(offered.prompts)),
    resources: server.resources.filter(only(offered.resources)),
    templates: server.templates.filter(only(offered.templates)),
  };
}
