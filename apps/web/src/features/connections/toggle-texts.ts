/** 'Profile migration required' of an older broker, in the words of the specification (part 1, section 8). */
export function profileMigrationText(message: string): string {
  return message === 'Profile migration required'
    ? 'User profile needs to be migrated to support MCP server preferences. Please contact support.'
    : message;
}

/** What to show when switching off failed: the broker's message, or the specification's text. */
export function disableFailure(error: unknown): string {
  return error instanceof Error && error.message !== ''
    ? profileMigrationText(error.message)
    : 'Failed to disable server';
}
