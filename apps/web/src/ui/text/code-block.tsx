import { CopyButton } from './copy-button.tsx';

export type CodeBlockProps = {
  code: string;
  /** What it is: "Terminal", "mcp.json". Shown above it. */
  label: string;
};

/** Code to copy, with what it is and a button that takes it. */
export function CodeBlock({ code, label }: CodeBlockProps) {
  return (
    <figure
      // the caption holds the button as well, whose name would be read as a part of this one
      aria-label={label}
      className="m-0 min-w-0 overflow-hidden rounded-md border border-line bg-sunken"
    >
      <figcaption className="flex min-h-9 items-center justify-between gap-2 border-b border-line pr-1 pl-3 text-xs text-quiet">
        <span className="min-w-0 py-1">{label}</span>
        <CopyButton text={code} size="small" variant="ghost" name={`Copy ${label}`} />
      </figcaption>
      {/* wrapped: a long command is all in sight, and copying takes it as it is */}
      <pre dir="auto" className="p-3 font-mono text-[0.8125rem]/5 wrap-anywhere whitespace-pre-wrap">
        <code>
          {code.split(/(--[a-z-]+)/).map((part, index) =>
            index % 2 === 1 ? (
              // a line would break between its hyphens
              <span key={index} className="whitespace-nowrap">
                {part}
              </span>
            ) : (
              part
            ),
          )}
        </code>
      </pre>
    </figure>
  );
}
