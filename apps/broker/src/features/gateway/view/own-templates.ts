import type { CatalogueServer } from '#features/catalogue/index.ts';
import { normalUri } from '#platform/text/normal-uri.ts';
import { readUriTemplate, type UriTemplate } from '#platform/text/uri-template.ts';

/**
 * How much of an address is matched against one server's templates, in characters times templates. A server may have hundreds
 * of templates, and each match takes time; with the prefix of the server, an address needs none.
 */
const mostMatched = 64 * 1024;
/** What a match takes besides its characters, in characters: an address may have none. */
export const matchCost = 16;

/** Whether one of a server's templates contains a URI, on /mcp under the same URI. */
export function hasResource(server: CatalogueServer, address: string): boolean {
  return templateOf(address, bareTemplates(server)) !== undefined;
}

/** A template as its server wrote it, and in normal form. */
type Template = { written: UriTemplate; normal: UriTemplate; isBare: boolean };

/**
 * The template of a server that contains an address, with the address as the server writes its beginning, and how much of the
 * address the template says by its beginning.
 */
export function templateOf(address: string, templates: readonly Template[]): { own: string; said: number } | undefined {
  let matched = 0;
  let normal: string | undefined;
  const contains = (template: UriTemplate, spelled: string) => {
    if (!spelled.startsWith(template.beginning) || matched > mostMatched) return false;
    matched += spelled.length + matchCost;
    return matched <= mostMatched && template.matches(spelled);
  };
  for (const { written, normal: template } of templates) {
    const said = written.beginning.length;
    if (contains(written, address)) return { own: address, said };
    normal ??= normalUri(address);
    if (normal === address && template.beginning === written.beginning) continue;
    if (contains(template, normal)) return { own: written.beginning + normal.slice(template.beginning.length), said };
  }
  return undefined;
}

/** Those that say most first: read once for each state. */
const readTemplates = new WeakMap<CatalogueServer['templates'], readonly Template[]>();

export function allTemplates({ templates }: CatalogueServer): readonly Template[] {
  let read = readTemplates.get(templates);
  if (!read) {
    read = templates
      .map(({ name, exposedName }) => ({
        written: readUriTemplate(name),
        normal: readUriTemplate(normalUri(name)),
        isBare: exposedName === name,
      }))
      .toSorted((a, b) => b.written.beginning.length - a.written.beginning.length);
    readTemplates.set(templates, read);
  }
  return read;
}

const bareOnes = new WeakMap<CatalogueServer['templates'], readonly Template[]>();

/** The templates under which addresses are read without a prefix. */
export function bareTemplates(server: CatalogueServer): readonly Template[] {
  let bare = bareOnes.get(server.templates);
  if (!bare) bareOnes.set(server.templates, (bare = allTemplates(server).filter(({ isBare }) => isBare)));
  return bare;
}
