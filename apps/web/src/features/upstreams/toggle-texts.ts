import { ApiError } from '@souk/contract/client.ts';

/** 'Profile migration required' of an older broker, in the words of the specification (part 1, section 8). */
export function profileMigrationText(message: string): string {
  return message === 'Profile migration required'
    ? 'User profile needs to be migrated to support MCP server preferences. Please contact support.'
    : message;
}

/**
 * What to show when switching on or off failed: the message of the broker's answer, else the specification's text of
 * the call (part 2, section 8).
 */
export function toggleFailure(error: unknown, otherwise: string): string {
  const message = error instanceof ApiError ? error.serverMessage : undefined;
  return message === undefined ? otherwise : profileMigrationText(message);
}
