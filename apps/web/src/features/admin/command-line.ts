/** Who acted where no account did: the one name of `souk …` in the administration. Within a sentence. */
export const commandLine = 'the command line';

/** The same by itself, with the system user who ran the command, where that is known. */
export const commandLineOf = (systemUser: string | null): string =>
  systemUser === null ? 'Command line' : `Command line (${systemUser})`;
