/** The actor of a `souk …` command, within a sentence. */
export const commandLine = 'the command line';

/** Names the actor of a `souk …` command on its own, with the system user if known. */
export const commandLineOf = (systemUser: string | null): string =>
  systemUser === null ? 'Command line' : `Command line (${systemUser})`;
