import type { McpScope } from '@souk/contract/identity.ts';

export const scopeTexts: Readonly<Record<McpScope, { name: string; hint: string }>> = {
  'mcp:tools': { name: 'Tools', hint: 'List and call tools. Calls may cost credits.' },
  'mcp:prompts': { name: 'Prompts', hint: 'List and read prompts.' },
  'mcp:resources': { name: 'Resources', hint: 'List and read resources.' },
};

export const expiryChoices = [
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '180', label: '180 days' },
  { value: '366', label: '1 year' },
] as const;
export type ExpiryChoice = (typeof expiryChoices)[number]['value'];

export type TokenFormValues = { name: string; scopes: readonly McpScope[] };
export type TokenFormErrors = { name?: string; scopes?: string };

/** Returns the errors of the form. The limits are the contract's. */
export function checkTokenForm({ name, scopes }: TokenFormValues): TokenFormErrors {
  const length = name.trim().length;
  return {
    ...(length === 0 && { name: 'Give the token a name.' }),
    ...(length > 80 && { name: `At most 80 characters: this has ${length}.` }),
    ...(scopes.length === 0 && { scopes: 'Choose at least one.' }),
  };
}

/** Returns a command that tries a token: the MCP Inspector lists the tools of the link. */
export function inspectorCommand(publicUrl: string, token: string): string {
  return `npx @modelcontextprotocol/inspector --cli ${publicUrl}/mcp --transport http --header "Authorization: Bearer ${token}" --method tools/list`;
}
