import { disclosure } from '../../apps/broker/src/platform/config/disclosure.ts';
import { readEnvironment, variableNames, type Environment } from '../../apps/broker/src/platform/config/environment.ts';
import { markdownTable } from '../../bench/report/markdown-table.ts';
import { patternVariables, variableGroups, type VariableDoc } from './variables.ts';

const intro = `# Configuration

<!-- npm run config-docs writes this page from the configuration's schema -->

Set environment variables. \`npm run souk -- check-config\` reports every invalid value, and names that differ from one of these by a
letter. \`npm start -- --env-file FILE\` reads them from a file, and so does every command: \`npm run souk -- --env-file FILE system\`.
Commands need the same variables as the broker. \`NODE_EXTRA_CA_CERTS\` is read by Node itself and must be in the environment.

Administrators see the effective values and their origin under System. Secrets are never shown.
`;

/** Returns the text of docs/configuration.md. */
export function configDocs(): string {
  const defaults = readEnvironment({}, []);
  const groups = variableGroups.map(({ title, text, variables }) => {
    const rows = Object.entries(variables).map(([name, doc]) => {
      // Object.entries loses the type of the names
      const key = name as keyof Environment;
      return [`\`${name}\``, defaultOf(doc, defaults[key]), doc.text];
    });
    const table = markdownTable(['variable', 'default', 'what it does'], rows);
    return [`## ${title}`, ...(text === undefined ? [] : [text]), table].join('\n\n');
  });
  const patterns = patternVariables.map(({ name, text }) => [`\`${name}\``, text]);
  const files = Object.keys(disclosure).filter((name) => variableNames.has(`${name}_FILE`));
  const secrets = [
    '## Secrets of servers and programs',
    'The names are in capitals, with `_` for every other character. Each may come from a file: add `_FILE` to the name.',
    markdownTable(['variable', 'what it does'], patterns),
    '## Secrets from files',
    `\`NAME_FILE\` holds the path of a file with the value of NAME, for ${files.map((name) => `\`${name}\``).join(', ')}.`,
    companyProxy,
  ];
  return `${[intro.trimEnd(), ...groups, ...secrets].join('\n\n')}\n`;
}

const companyProxy = `## Behind a company's proxy

Set \`HTTPS_PROXY=http://user:password@proxy.example:3128\`, and list hosts of your own network in \`NO_PROXY\`. Requests to servers, icons,
sign-ins, sign-in providers, client metadata documents and packages of stdio servers then use the proxy. This machine and
\`UPSTREAM_ALLOW_ADDRESSES\` are always reached directly. Souk resolves and checks names first, and refuses private addresses. If Souk
cannot resolve a name, the proxy decides whether it may be reached. Plain http is tunneled (CONNECT) too. Requests that stdio servers
send themselves do not use the proxy.`;

function defaultOf(doc: VariableDoc, value: Environment[keyof Environment]): string {
  if (doc.default !== undefined) return doc.default;
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return 'none';
  if (typeof value === 'boolean') return value ? '`1`' : '`0`';
  return `\`${String(value)}\``;
}
