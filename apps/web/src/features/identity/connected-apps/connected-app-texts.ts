import { mcpScopes } from '@souk/contract/identity.ts';
import { possessive } from '#web/texts/possessive.ts';
import { listed } from '#web/texts/listed.ts';
import { scopeTexts } from '../tokens/token-texts.ts';

export type AccessOptions = {
  scopes: readonly string[];
  resources: readonly string[];
  publicUrl: string;
  /** Returns the name of a server; undefined while the catalogue loads or if it is no longer deployed. */
  nameOf: (serverId: string) => string | undefined;
};

/** Says what an app can do, one sentence per link: "Can use Travel's tools, prompts and resources." */
export function accessSentences({ scopes, resources, publicUrl, nameOf }: AccessOptions): string {
  const what = listed(
    mcpScopes.filter((scope) => scopes.includes(scope)).map((scope) => scopeTexts[scope].name.toLowerCase()),
  );
  if (what === '') return 'Has no access.';
  const sentences = resources.map((resource) => {
    if (resource === `${publicUrl}/mcp`) return `Can use the ${what} of all the services you've enabled.`;
    const serverId = serverOfLink(resource, publicUrl);
    return serverId !== undefined
      ? `Can use ${possessive(nameOf(serverId) ?? serverId)} ${what}.`
      : `Can use ${what} at ${resource}.`;
  });
  return sentences.join(' ');
}

/** Returns the server of a link to one server; undefined for any other link. */
export function serverOfLink(link: string, publicUrl: string): string | undefined {
  const own = `${publicUrl}/s/`;
  return (link.startsWith(own) && link.slice(own.length).split('/')[0]) || undefined;
}
