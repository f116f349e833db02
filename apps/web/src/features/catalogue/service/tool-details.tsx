import type { CapabilityAnswer } from '@souk/contract/catalogue/catalogue.ts';
import { useEffect, useRef, useState } from 'react';
import { Button } from '#ui/button.tsx';
import { CodeBlock } from '#ui/text/code-block.tsx';
import { useHiddenEdges } from '#ui/use-hidden-edges.ts';
import type { ToolRowProps } from './tool-list.tsx';
import { toolParameters, type ToolParameter } from './tool-parameters.ts';

/** An open row of a tool: its parameters and names, or the form that runs it. */
export function ToolDetails({ tool, isTriedAtFirst, tryTool }: ToolRowProps) {
  const [isTrying, setIsTrying] = useState(isTriedAtFirst);
  const trial = useRef<HTMLElement>(null);
  // the button that opened the form had the focus, and is removed
  useEffect(() => {
    if (isTrying) trial.current?.focus();
  }, [isTrying]);
  const tryButton = useRef<HTMLButtonElement>(null);
  const parameters = toolParameters(tool.inputSchema);
  return (
    <div className="space-y-3 px-4 pb-4 sm:pl-10.5">
      {isTrying ? (
        <section ref={trial} tabIndex={-1} aria-label={`Try ${tool.displayName}`} className="outline-none">
          {tryTool(tool, () => {
            setIsTrying(false);
            // the button returns in the next frame
            requestAnimationFrame(() => tryButton.current?.focus());
          })}
        </section>
      ) : (
        <>
          {parameters.length === 0 ? (
            <p className="text-quiet">Takes no parameters.</p>
          ) : (
            <Parameters tool={tool.displayName} rows={parameters} />
          )}
          {tool.exposedName && (
            <p className="text-[0.8125rem] text-quiet">
              On your all-services link it's named <code className="font-mono wrap-anywhere">{tool.exposedName}</code>.
            </p>
          )}
          {tool.inputSchema && <JsonSchema schema={tool.inputSchema} />}
          <Button ref={tryButton} size="small" onClick={() => setIsTrying(true)}>
            Try it<span className="sr-only">: {tool.displayName}</span>
          </Button>
        </>
      )}
    </div>
  );
}

/** Rendered only when opened, since schemas can be long. */
function JsonSchema({ schema }: { schema: NonNullable<CapabilityAnswer['inputSchema']> }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary className="w-fit rounded-sm text-[0.8125rem] text-quiet hover:text-text">JSON schema</summary>
      <div className="mt-2">{isOpen && <CodeBlock label="JSON schema" code={JSON.stringify(schema, null, 2)} />}</div>
    </details>
  );
}

/** On a phone the table scrolls sideways in its box, and fades out where it continues. */
function Parameters({ tool, rows }: { tool: string; rows: readonly ToolParameter[] }) {
  const box = useRef<HTMLDivElement>(null);
  const hiddenEdges = useHiddenEdges(box);
  return (
    <div className="overflow-hidden rounded-md border border-line">
      <div
        ref={box}
        role="region"
        aria-label={`Parameters of ${tool}`}
        tabIndex={0}
        data-hidden={hiddenEdges}
        className="fade-edges overflow-x-auto focus-visible:-outline-offset-2"
      >
        <table className="w-full text-left text-[0.8125rem]">
          <caption className="sr-only">Parameters of {tool}</caption>
          <thead className="bg-sunken/60 text-quiet">
            <tr>
              <th scope="col" className="px-3 py-2 font-medium">
                Parameter
              </th>
              <th scope="col" className="px-3 py-2 font-medium">
                Type
              </th>
              <th scope="col" className="px-3 py-2 font-medium">
                Description
              </th>
            </tr>
          </thead>
          <tbody className="divide-y divide-line">
            {rows.map(({ name, type, required, description }) => (
              <tr key={name} className="align-top">
                <th scope="row" className="px-3 py-2 font-mono font-normal whitespace-nowrap">
                  {name}
                  {required && <span className="ml-1.5 font-sans text-xs text-quiet">required</span>}
                </th>
                <td className="max-w-48 px-3 py-2 font-mono text-quiet">{type}</td>
                <td dir="auto" className="min-w-40 px-3 py-2 text-quiet">
                  {description}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}
