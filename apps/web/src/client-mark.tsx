import claude from 'simple-icons/icons/claude.svg?raw';
import claudeCode from 'simple-icons/icons/claudecode.svg?raw';
import cursor from 'simple-icons/icons/cursor.svg?raw';
import copilot from 'simple-icons/icons/githubcopilot.svg?raw';
import gemini from 'simple-icons/icons/googlegemini.svg?raw';
import lmStudio from 'simple-icons/icons/lmstudio.svg?raw';
import windsurf from 'simple-icons/icons/windsurf.svg?raw';

/** Each is one path on a square of 24 (simple-icons, CC0). The names are trademarks of their owners. */
const pathOf = (svg: string): string => svg.split(' d="')[1]?.split('"')[0] ?? '';
const paths: Readonly<Record<string, string>> = {
  Claude: pathOf(claude),
  'Claude Code': pathOf(claudeCode),
  Cursor: pathOf(cursor),
  Windsurf: pathOf(windsurf),
  'Gemini CLI': pathOf(gemini),
  'Copilot CLI': pathOf(copilot),
  'LM Studio': pathOf(lmStudio),
};

/** The capitals of a name, two at most: "VS Code" is VS, "ChatGPT" CG, "Other clients" O. */
export function initialsOf(name: string): string {
  const [first = '', ...rest] = name.slice(0, 60).split(/\s+/);
  const capitals = [...first.replaceAll(/[^A-Z]/g, ''), ...rest.map(([letter = '']) => letter.replace(/[^A-Z]/, ''))];
  return capitals.join('').slice(0, 2) || (first[0] ?? '?').toUpperCase();
}

/** A client's mark in the colour of the text, or its initials where there is none. Decorative: the name stands beside it. */
export function ClientMark({ name, size = 16 }: { name: string; size?: number }) {
  const path = paths[name];
  return (
    <svg viewBox="0 0 24 24" width={size} height={size} fill="currentColor" aria-hidden className="shrink-0">
      {path ? (
        <path d={path} />
      ) : (
        <>
          <rect
            x="0.75"
            y="0.75"
            width="22.5"
            height="22.5"
            rx="6"
            fill="none"
            stroke="currentColor"
            strokeWidth="1.5"
          />
          <text x="12" y="12.5" fontSize="11" fontWeight="650" textAnchor="middle" dominantBaseline="central">
            {initialsOf(name)}
          </text>
        </>
      )}
    </svg>
  );
}
