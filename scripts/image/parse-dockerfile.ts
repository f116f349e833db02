/** Instruction of a Dockerfile with its continuation lines: `COPY --from=web /a ./b` has the word COPY and the rest. */
export type Instruction = { word: string; rest: string };

export type Stage = { base: string; name: string | undefined; instructions: readonly Instruction[] };

/** Parses our own Dockerfile, which has no heredoc and no escape except a backslash at the end of a line. */
export function parseDockerfile(text: string): Stage[] {
  const lines = text
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .join('\n')
    .replaceAll(/\\\n\s*/g, ' ')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const stages: (Stage & { instructions: Instruction[] })[] = [];
  for (const line of lines) {
    const [word = '', ...words] = line.split(' ');
    const rest = words.join(' ').trim();
    if (word === 'FROM') {
      const [base = '', , name] = rest.split(' ');
      stages.push({ base, name, instructions: [] });
    } else stages.at(-1)?.instructions.push({ word, rest });
  }
  return stages;
}

/** Parses the variables of ENV: `A=1 B=2`. */
export function readPairs(rest: string): Record<string, string> {
  return Object.fromEntries(
    [...rest.matchAll(/([\w.]+)=(?:"([^"]*)"|(\S*))/g)].map(([, name, quoted, plain]) => [name, quoted ?? plain]),
  );
}
