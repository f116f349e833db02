import {
  maxRegistryText,
  registryMetaKey,
  serverJsonSchemaUrl,
  type RegistryEntry,
} from '@souk/contract/catalogue/registry.ts';
import type { PublishedVersion } from './published-versions.ts';
import type { RegistryNames } from './registry-names.ts';

/** Presents a version as a registry entry. Clients connect to the server's own link in this shop, and sign in there. */
export function presentPublished(
  { serverId, version, name, description, isDeployed, isLatest, publishedAt, endedAt }: PublishedVersion,
  { names, publicUrl, icon }: { names: RegistryNames; publicUrl: string; icon: string | undefined },
): RegistryEntry {
  const published = publishedAt.toISOString();
  const changed = endedAt?.toISOString() ?? published;
  // registries' icons are HTTPS only
  const iconUrl = icon !== undefined && publicUrl.startsWith('https:') ? publicUrl + icon : undefined;
  return {
    server: {
      $schema: serverJsonSchemaUrl,
      name: names.of(serverId),
      title: cutText(name),
      description: cutText(description),
      version,
      websiteUrl: `${publicUrl}/service/${serverId}`,
      ...(iconUrl !== undefined && { icons: [{ src: iconUrl }] }),
      remotes: [{ type: 'streamable-http', url: `${publicUrl}/s/${serverId}/mcp` }],
    },
    _meta: {
      [registryMetaKey]: {
        status: isDeployed ? 'active' : 'deleted',
        statusChangedAt: changed,
        publishedAt: published,
        updatedAt: changed,
        isLatest,
      },
    },
  };
}

/** Shortens a description or title to the registries' limit: at the end of a word, if one ends in the last third. */
export function cutText(text: string): string {
  // JSON Schema counts code points
  const characters = [...text];
  if (characters.length <= maxRegistryText) return text;
  const start = characters.slice(0, maxRegistryText - 1);
  const blank = start.lastIndexOf(' ');
  const end = blank > (2 * maxRegistryText) / 3 ? blank : start.length;
  return `${start.slice(0, end).join('').trimEnd()}…`;
}
