export function LogLines({ label, lines }: { label: string; lines: readonly string[] }) {
  return (
    <div
      role="region"
      aria-label={label}
      tabIndex={0}
      className="max-h-96 overflow-auto rounded-md border border-line bg-sunken p-3 focus-visible:-outline-offset-2"
    >
      <pre className="font-mono text-xs/5 wrap-anywhere whitespace-pre-wrap">{lines.join('\n')}</pre>
    </div>
  );
}
