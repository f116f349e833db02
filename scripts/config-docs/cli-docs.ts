import { markdownTable } from '../../bench/report/markdown-table.ts';
import { runCli } from '../../apps/broker/src/operator/cli/run-cli.ts';

const intro = `# Commands of the operator

<!-- npm run config-docs writes this page from --help -->

\`npm run souk -- COMMAND\` works through the running broker of \`DATA_DIR\`. If none runs, it works on the database, but some commands
require a running broker. Run it as the broker's user, with the same variables: \`--env-file FILE\` before the command reads them from a
file. \`npm run -s souk\` suppresses npm's own output. With \`--json\`, a command prints one JSON document to standard output, and its messages
to standard error.
`;

const exitCodes = markdownTable(
  ['exit code', 'meaning'],
  [
    ['0', 'success'],
    ['1', 'failure, or a check found a problem: see the message'],
    ['64', 'invalid command line'],
    ['69', 'no broker is running, or the database does not respond'],
    ['78', 'invalid configuration, or a database of another version or key'],
  ],
);

/** Returns the text of docs/cli.md, from the help of each command. */
export async function cliDocs(): Promise<string> {
  const listed = await helpOf([]);
  const names = listed.flatMap((line) => /^ {2}([a-z-]+(?: [a-z-]+)?) +(?=\S)/.exec(line)?.[1] ?? []);
  const sections = await Promise.all(
    names.map(async (name) => {
      const [summary = '', , ...rest] = await helpOf(name.split(' '));
      const text = summary.replace(`${name}: `, '');
      return [`## ${name}`, '', `${text.charAt(0).toUpperCase()}${text.slice(1)}.`, '', '```text', ...rest, '```'].join(
        '\n',
      );
    }),
  );
  return `${[intro.trimEnd(), exitCodes, ...sections].join('\n\n')}\n`;
}

async function helpOf(command: readonly string[]): Promise<string[]> {
  const lines: string[] = [];
  const print = (line: string) => void lines.push(...line.split('\n'));
  await runCli([...command, '--help'], { environment: {}, stdout: print, stderr: print });
  return lines;
}
