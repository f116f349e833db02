import { mcpScopes } from '@souk/contract/identity.ts';
import { scopeTexts } from './token-texts.ts';

/** "tools, prompts": the scopes of the product in words; what is not ours says nothing to a person. */
export function scopeNames(scopes: readonly string[]): string {
  const names = mcpScopes
    .filter((scope) => scopes.includes(scope))
    .map((scope) => scopeTexts[scope].name.toLowerCase());
  return names.join(', ') || 'nothing';
}

/** What a link opens: everything, or one server by its id. Other addresses stand for themselves. */
export function targetOf(resource: string, publicUrl: string): string {
  if (resource === `${publicUrl}/mcp`) return 'every server that you switched on';
  const serverId = resource.startsWith(`${publicUrl}/s/`) ? resource.slice(`${publicUrl}/s/`.length).split('/')[0] : '';
  return serverId ? `the server ${serverId}` : resource;
}
