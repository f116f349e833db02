import { CopyButton } from './copy-button.tsx';

/** Code with a label, such as "Terminal", and a copy button. */
export function CodeBlock({ code, label }: { code: string; label: string }) {
  return (
    <figure
      // the caption would add the name of its button to the name of the figure
      aria-label={label}
      className="m-0 min-w-0 overflow-hidden rounded-md border border-line bg-sunken"
    >
      <figcaption className="flex min-h-9 items-center justify-between gap-2 border-b border-line pr-1 pl-3 text-xs text-quiet">
        <span className="min-w-0 py-1">{label}</span>
        <CopyButton text={code} size="small" variant="ghost" name={`Copy ${label}`} />
      </figcaption>
      {/* wrapped, so that all of a long command is visible; copying ignores the wrapping */}
      <pre dir="auto" className="p-3 font-mono text-[0.8125rem]/5 wrap-anywhere whitespace-pre-wrap">
        <code>
          {code.split(/(--[a-z-]+)/).map((part, index) =>
            index % 2 === 1 ? (
              // keeps options in one piece: lines would break at their hyphens
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
