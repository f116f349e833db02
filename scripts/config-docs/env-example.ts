import { variableGroups } from './variables.ts';

const intro = `# Variables of Souk with their meaning. Copy this file, set what you need, and start with it:
#   npm start -- --env-file FILE
# docs/configuration.md also lists the defaults.
`;

/** Returns the text of .env.example, with every variable commented out. */
export function envExample(): string {
  const groups = variableGroups.map(({ title, variables }) => {
    const lines = Object.entries(variables).flatMap(([name, { text }]) => [`# ${plain(text)}`, `#${name}=`]);
    return [`# --- ${title} ---`, ...lines].join('\n');
  });
  return `${[intro.trimEnd(), ...groups].join('\n\n')}\n`;
}

/** Removes Markdown links and marks. */
function plain(text: string): string {
  return text
    .replace(/ \(\[[^\]]*\]\([^)]*\)\)/g, '')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll('`', '');
}
