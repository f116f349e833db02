const words = new Intl.ListFormat('en-GB');

/** Joins names: 'tools', 'tools and prompts', 'tools, prompts and resources'. */
export const listed = (names: readonly string[]): string => words.format(names);
