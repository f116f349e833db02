import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

// Texts of section 8 of both parts of the specification, verbatim and in its order. A test of the screen or call of
// each text shows it. Texts of administrator screens that do not exist yet are missing here.

const root = join(import.meta.dirname, '..');

const texts = {
  'part 1': [
    'Authentication failed. Please log in again.',
    'Access denied. Required permissions missing.',
    'Access denied. Please check your permissions.',
    'HTTP ${response.status}: ${statusText(response)}',
    'Network error occurred',
    'An unexpected error occurred',
    'Invalid state parameter - possible CSRF attack',
    'Missing code verifier',
    'Token exchange failed: ${',
    'Failed to get user info: ${',
    'Failed to fetch user profile: ${',
    'No authenticated user',
    'Failed to open OAuth popup window. Please allow popups for this site.',
    'OAuth authorization timed out after 5 minutes',
    'Failed to create PAT',
    'Failed to fetch PATs',
    'Failed to revoke PAT',
    'Failed to fetch PAT stats',
    'Failed to load MCP servers',
    'Failed to refresh MCP servers',
    'No server ID provided',
    'No MCP services found. The MCP broker may not be running.',
    "MCP server with ID '${",
    "' not found. Available servers: ",
    'Failed to load server details',
    '. Please try again.',
    'Failed to start checkout process',
    'Purchase failed. Please try again.',
    'Profile migration required',
    'User profile needs to be migrated to support MCP server preferences. Please contact support.',
    'Failed to fetch billing dashboard',
    'Failed to fetch transactions',
    'Failed to fetch credit usage',
    'Unexpected Application Error!',
  ],
  'part 2': [
    'Access denied. Admin privileges required.',
    'Authentication required. Please log in.',
    'Failed to load your MCP services. Please try again.',
    'Failed to enable server',
    'Failed to disable server',
    'Failed to enable server after OAuth',
    'Failed to cancel rental. Please try again or contact support.',
    'Failed to fetch payment details: ${',
    'Back to Home',
    'Authentication Error',
    'Authentication Failed',
    'Return to Home',
  ],
};

/** Returns the product's sources, without tests and without comments. */
function productSources(): string {
  const files = globSync('{apps,packages}/*/src/**/*.{ts,tsx}', { cwd: root });
  return files
    .filter((file) => !/\.test\.ts$|\/testing\/|\/gallery/.test(file))
    .flatMap((file) => readFileSync(join(root, file), 'utf8').split('\n'))
    .filter((line) => !/^\s*(\/\/|\/?\*)/.test(line))
    .join('\n');
}

const sources = productSources();

test.each(Object.entries(texts))('the product has the texts of section 8 of %s verbatim', (_part, given) => {
  expect(given.filter((text) => !sources.includes(text))).toEqual([]);
});
