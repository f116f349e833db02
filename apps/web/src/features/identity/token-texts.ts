import { ApiError } from '@souk/contract/client.ts';
import type { McpScope } from '@souk/contract/identity.ts';

/** What each scope opens, in a word and in a sentence. */
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

export type TokenWish = { name: string; scopes: readonly McpScope[] };
export type TokenWishErrors = { name?: string; scopes?: string };

/** What is missing in the form. The limits are the contract's. */
export function checkTokenWish({ name, scopes }: TokenWish): TokenWishErrors {
  const length = name.trim().length;
  return {
    ...(length === 0 && { name: 'Give the token a name.' }),
    ...(length > 80 && { name: `At most 80 characters: these are ${length}.` }),
    ...(scopes.length === 0 && { scopes: 'Choose at least one.' }),
  };
}

/**
 * What a failed call shows: the specification's text of the call, and the reason where there is another one.
 * @param text 'Failed to fetch PATs' and the like (spec part 1, section 8)
 */
export function describeFailure(text: string, error: unknown): { title: string; reason: string | undefined } {
  if (!(error instanceof ApiError)) return { title: text, reason: 'An unexpected error occurred' };
  return { title: text, reason: error.message === text ? undefined : error.message };
}

/** Days stay days for a good while: "in 90 days" is what was chosen, "in 3 months" is not. */
const units = [
  { unit: 'year', seconds: 365 * 86_400, fromSeconds: 500 * 86_400 },
  { unit: 'month', seconds: 30 * 86_400, fromSeconds: 367 * 86_400 },
  { unit: 'day', seconds: 86_400, fromSeconds: 86_400 },
  { unit: 'hour', seconds: 3600, fromSeconds: 3600 },
  { unit: 'minute', seconds: 60, fromSeconds: 60 },
] as const;
const distances = new Intl.RelativeTimeFormat('en-US', { numeric: 'always' });

/** How far away a moment is: "in 89 days", "5 minutes ago", "just now". */
export function formatDistance(moment: string, nowMs: number): string {
  const seconds = (Date.parse(moment) - nowMs) / 1000;
  const fitting = units.find((candidate) => Math.abs(seconds) >= candidate.fromSeconds);
  if (!fitting) return seconds > 0 ? 'in a moment' : 'just now';
  return distances.format(Math.round(seconds / fitting.seconds), fitting.unit);
}

/** What to write where a program is told the token. */
export function inspectorCommand(publicUrl: string, token: string): string {
  return `npx @modelcontextprotocol/inspector --cli ${publicUrl}/mcp --transport http --header "Authorization: Bearer ${token}" --method tools/list`;
}
