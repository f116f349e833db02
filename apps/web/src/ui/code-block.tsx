import { CopyButton } from './copy-button.tsx';

export type CodeBlockProps = {
  code: string;
  /** What it is: "Terminal", "mcp.json". Shown above it, and its accessible name. */
  label: string;
};

/** Code to copy: scrolls sideways, reachable by keyboard. */
export function CodeBlock({ code, label }: CodeBlockProps) {
  return (
    <figure className="m-0 min-w-0 overflow-hidden rounded-md border border-line bg-sunken">
      <figcaption className="flex h-9 items-center justify-between gap-2 border-b border-line pr-1 pl-3 text-xs text-quiet">
        <span className="truncate">{label}</span>
        <CopyButton text={code} size="small" variant="ghost" name={`Copy ${label}`} />
      </figcaption>
      {/* a scrolling region must be reachable by keyboard (WCAG 2.1.1) */}
      <pre
        role="region"
        tabIndex={0}
        aria-label={label}
        className="overflow-x-auto p-3 font-mono text-[0.8125rem]/5 focus-visible:-outline-offset-2"
      >
        <code>{code}</code>
      </pre>
    </figure>
  );
}
