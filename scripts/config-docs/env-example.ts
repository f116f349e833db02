import { variableGroups } from './variables.ts';

const intro = `# Variables of Souk, each with its meaning. Copy this file, set what you need, and start with it:
#   npm start -- --env-file FILE
# docs/configuration.md has the same with the defaults.
`;

/** The text of .env.example: every variable, as a comment. */
export function envExample(): string {
  const groups = variableGroups.map(({ title, variables }) => {
    const lines = Object.entries(variables).flatMap(([name, { text }]) => [`# ${plain(text)}`, `#${name}=`]);
    return [`# --- ${title} ---`, ...lines].join('\n');
  });
  return `${[intro.trimEnd(), ...groups].join('\n\n')}\n`;
}

/** Markdown's links and marks mean nothing in a file of variables. */
function plain(text: string): string {
  return text
    .replace(/ \(\[[^\]]*\]\([^)]*\)\)/g, '')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll('`', '');
}
