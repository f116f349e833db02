import type { CapabilityAnswer } from '@souk/contract/catalogue.ts';
import ChevronRight from 'lucide-react/icons/chevron-right';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { Badge } from '#ui/badge.tsx';
import { Button } from '#ui/button.tsx';
import { Card } from '#ui/card.tsx';
import { CodeBlock } from '#ui/code-block.tsx';
import { Day } from '#ui/moment.tsx';
import { useHiddenEdges } from '#ui/use-hidden-edges.ts';
import { sells } from '#web/config.ts';
import { callCost, comingCost } from './server-texts.ts';
import { toolParameters, type ToolParameter } from './tool-parameters.ts';

export type ToolListProps = {
  tools: readonly CapabilityAnswer[];
  /** The tool whose form is open at first. */
  triedTool: string | undefined;
  /** Runs a tool in its row; `onClose` brings its parameters back. */
  tryTool: (tool: CapabilityAnswer, onClose: () => void) => ReactNode;
};

/** Tools as rows with description and price of a call. A row opens into the parameters, and the way to try the tool. */
export function ToolList({ tools, triedTool, tryTool }: ToolListProps) {
  return (
    <Card padding="none">
      <ul className="divide-y divide-line">
        {tools.map((tool) => (
          <li key={tool.name}>
            <ToolRow tool={tool} isTriedAtFirst={tool.name === triedTool} tryTool={tryTool} />
          </li>
        ))}
      </ul>
    </Card>
  );
}

function ToolRow({
  tool,
  isTriedAtFirst,
  tryTool,
}: { tool: CapabilityAnswer; isTriedAtFirst: boolean } & Pick<ToolListProps, 'tryTool'>) {
  const [isTrying, setIsTrying] = useState(isTriedAtFirst);
  const [wasOpen] = useState(isTriedAtFirst);
  const trial = useRef<HTMLElement>(null);
  // the button that opened it is gone
  useEffect(() => {
    if (isTrying) trial.current?.focus();
  }, [isTrying]);
  const tryButton = useRef<HTMLButtonElement>(null);
  const parameters = toolParameters(tool.inputSchema);
  // where nothing is sold every call is free
  const creditCost = sells ? tool.creditCost : undefined;
  return (
    <details open={wasOpen} className="group/tool">
      <summary className="flex list-none items-start gap-2.5 px-4 py-3.5 hover:bg-sunken/50 [&::-webkit-details-marker]:hidden">
        <ChevronRight
          aria-hidden
          size={16}
          className="mt-0.5 shrink-0 text-faint transition-transform group-open/tool:rotate-90"
        />
        <span className="grid min-w-0 flex-1 grid-cols-[minmax(0,1fr)_auto] gap-x-2.5">
          <span className="flex flex-wrap content-start items-center gap-x-2 gap-y-1">
            <span className="font-medium wrap-anywhere">{tool.displayName}</span>
            {tool.displayName !== tool.name && (
              <code className="font-mono text-xs wrap-anywhere text-faint">{tool.name}</code>
            )}
            <Hints annotations={tool.annotations} />
          </span>
          <span className="col-span-2 row-start-2 mt-1 text-pretty text-quiet sm:col-span-1">
            {tool.displayDescription}
          </span>
          <span
            className={`col-start-2 row-start-1 text-right text-[0.8125rem] tabular-nums ${creditCost ? 'font-medium' : 'text-quiet'}`}
          >
            {callCost(creditCost)}
            {sells && tool.comingCost && (
              <span className="block font-normal text-quiet">
                {comingCost(tool.comingCost.credits)} from <Day moment={tool.comingCost.from} />
              </span>
            )}
          </span>
        </span>
      </summary>
      <div className="space-y-3 px-4 pb-4 sm:pl-10.5">
        {isTrying ? (
          <section ref={trial} tabIndex={-1} aria-label={`Try ${tool.displayName}`} className="outline-none">
            {tryTool(tool, () => {
              setIsTrying(false);
              // the button is back in the next frame
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
                On your all-servers link it's named <code className="font-mono wrap-anywhere">{tool.exposedName}</code>.
              </p>
            )}
            {tool.inputSchema && <JsonSchema schema={tool.inputSchema} />}
            <Button ref={tryButton} size="small" onClick={() => setIsTrying(true)}>
              Try it<span className="sr-only">: {tool.displayName}</span>
            </Button>
          </>
        )}
      </div>
    </details>
  );
}

/** Made only once it is asked for: schemas can be long. */
function JsonSchema({ schema }: { schema: NonNullable<CapabilityAnswer['inputSchema']> }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary className="w-fit rounded-sm text-[0.8125rem] text-quiet hover:text-text">JSON schema</summary>
      <div className="mt-2">{isOpen && <CodeBlock label="JSON schema" code={JSON.stringify(schema, null, 2)} />}</div>
    </details>
  );
}

/** The server's own hints about the tool. Clients use them to decide what to confirm before a call. */
function Hints({ annotations }: { annotations: CapabilityAnswer['annotations'] }) {
  if (annotations?.['readOnlyHint'] === true) return <Badge>Read only</Badge>;
  if (annotations?.['destructiveHint'] === true) return <Badge tone="bad">Can delete or overwrite</Badge>;
  return null;
}

/** On a phone the table scrolls sideways in its box, and fades out at the edge where it goes on. */
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
                <td className="min-w-40 px-3 py-2 text-quiet">{description}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}
