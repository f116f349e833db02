import type { CatalogueServer } from '#features/catalogue/index.ts';
import { normalUri } from '#platform/text/normal-uri.ts';
import { readUriTemplate, type UriTemplate } from '#platform/text/uri-template.ts';

/**
 * How much of an address is matched against one server's templates, in characters times templates: a server may have
 * hundreds, and each match takes time. An address with the server's prefix needs no match.
 */
const mostMatched = 64 * 1024;
/** The fixed cost of a match, in characters. */
export const matchCost = 16;

/** Whether a URI matches one of a server's templates and is read on /mcp without a prefix. */
export function hasResource(server: CatalogueServer, address: string): boolean {
  return templateOf(address, bareTemplates(server)) !== undefined;
}

/** A template as its server wrote it, and in normal form. `isBare`: it is exposed without a prefix. */
type Template = { written: UriTemplate; normal: UriTemplate; isBare: boolean };

/**
 * Finds the first template that matches an address. `own` is the address with the beginning as the server spells it,
 * `fixedLength` the length of the template's fixed beginning.
 */
export function templateOf(
  address: string,
  templates: readonly Template[],
): { own: string; fixedLength: number } | undefined {
  let matched = 0;
  let normal: string | undefined;
  const contains = (template: UriTemplate, spelled: string) => {
    if (!spelled.startsWith(template.beginning) || matched > mostMatched) return false;
    matched += spelled.length + matchCost;
    return matched <= mostMatched && template.matches(spelled);
  };
  for (const { written, normal: template } of templates) {
    const fixedLength = written.beginning.length;
    if (contains(written, address)) return { own: address, fixedLength };
    normal ??= normalUri(address);
    if (normal === address && template.beginning === written.beginning) continue;
    if (contains(template, normal)) {
      return { own: written.beginning + normal.slice(template.beginning.length), fixedLength };
    }
  }
  return undefined;
}

/** The templates with the longest beginning first, read once for each state of the catalogue. */
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

export function bareTemplates(server: CatalogueServer): readonly Template[] {
  let bare = bareOnes.get(server.templates);
  if (!bare) bareOnes.set(server.templates, (bare = allTemplates(server).filter(({ isBare }) => isBare)));
  return bare;
}
