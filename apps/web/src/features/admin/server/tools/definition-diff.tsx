import type { ToolChange } from '@souk/contract/catalogue/tool-changes.ts';
import { useState } from 'react';
import { LazyDifferences } from '../editor/lazy-differences.tsx';
import { definitionChanges, type DefinitionChange } from './definition-changes.ts';

/** The changes of a tool, in words and as JSON. All texts come from the server. */
export function DefinitionDiff({ change: { before, after, tool } }: { change: ToolChange }) {
  const [isRawOpen, setIsRawOpen] = useState(false);
  return (
    <div className="flex flex-col gap-3">
      <ul aria-label={`Changes of ${tool}`} className="flex flex-col gap-3">
        {definitionChanges(before, after).map((change) => (
          <li key={change.what}>
            <Change change={change} />
          </li>
        ))}
      </ul>
      <details onToggle={(event) => setIsRawOpen(event.currentTarget.open)}>
        <summary className="w-fit rounded-sm py-1 text-[0.8125rem] text-quiet hover:text-text">Raw JSON</summary>
        <div className="mt-2">
          {isRawOpen && (
            <LazyDifferences
              beforeLabel="Trusted"
              afterLabel="Offered now"
              before={before === null ? '' : JSON.stringify(before, null, 2)}
              after={JSON.stringify(after, null, 2)}
            />
          )}
        </div>
      </details>
    </div>
  );
}

function Change({ change: { what, before, after } }: { change: DefinitionChange }) {
  const sides = [
    { name: 'Before', text: before, look: 'bg-bad-soft' },
    { name: 'Now', text: after, look: 'bg-good-soft' },
  ].filter(({ text }) => text !== undefined);
  return (
    <>
      <p className="text-[0.8125rem] font-medium wrap-anywhere">{what}</p>
      {sides.length > 0 && (
        <dl className="mt-1 grid gap-1.5 text-[0.8125rem]">
          {sides.map(({ name, text, look }) => (
            <div key={name} className={`flex gap-3 rounded-md px-3 py-1.5 ${look}`}>
              <dt className="w-12 shrink-0 text-quiet">{name}</dt>
              <dd className="max-h-48 min-w-0 flex-1 overflow-y-auto wrap-anywhere whitespace-pre-wrap">
                {text === '' ? <span className="text-quiet">Empty</span> : text}
              </dd>
            </div>
          ))}
        </dl>
      )}
    </>
  );
}
