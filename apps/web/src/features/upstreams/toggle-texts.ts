import { ApiError } from '@souk/contract/client.ts';

/** Translates an older broker's 'Profile migration required' into the specification's words (part 1, section 8). */
export function profileMigrationText(message: string): string {
  return message === 'Profile migration required'
    ? 'User profile needs to be migrated to support MCP server preferences. Please contact support.'
    : message;
}

/**
 * Returns the text of a failed switch: the broker's message, else the specification's text of the call (part 2, section
 * 8).
 */
export function toggleFailure(error: unknown, otherwise: string): string {
  const message = error instanceof ApiError ? error.serverMessage : undefined;
  return message === undefined ? otherwise : profileMigrationText(message);
}
