import { z } from 'zod';
import type { CatalogueServer, Discovered } from '#features/catalogue/index.ts';

const names = z.array(z.string());

/** The names of what a server offers over one person's connection: they may see less, or more, than others. */
export const offeredSchema = z.object({ tools: names, prompts: names, resources: names, templates: names });
export type Offered = z.output<typeof offeredSchema>;

/** In a fixed order, so that the same offer is stored alike. */
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

/** Of what the catalogue says of a server, what is offered to this person too. Definitions stay the catalogue's. */
export function meet(server: CatalogueServer, offered: Offered): CatalogueServer {
  const only = (listed: readonly string[]) => {
    const known = new Set(listed);
    return ({ name }: { name: string }) => known.has(name);
  };
  return {
    ...server,
    tools: server.tools.filter(only(offered.tools)),
    heldTools: server.heldTools.filter(only(offered.tools)),
    prompts: server.prompts.filter(only(offered.prompts)),
    resources: server.resources.filter(only(offered.resources)),
    templates: server.templates.filter(only(offered.templates)),
  };
}
