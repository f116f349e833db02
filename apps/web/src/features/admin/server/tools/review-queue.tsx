import type { ToolChange } from '@souk/contract/catalogue/tool-changes.ts';
import { useState } from 'react';
import { Button } from '#ui/button.tsx';
import { Card } from '#ui/card.tsx';
import { EachOpening } from '#ui/overlay/each-opening.tsx';
import { Ago } from '#ui/text/moment.tsx';
import { Section } from '../../section.tsx';
import { DecideDialog, type AskedDecision } from './decide-dialog.tsx';
import { DefinitionDiff } from './definition-diff.tsx';

const kinds: Readonly<Record<ToolChange['kind'], string>> = {
  text: 'Its title or description changed',
  argument: 'It has a new optional argument',
  definition: 'Its schemas or annotations changed',
  new: 'The tool is new since the server was deployed',
};

const sections = {
  'under-review': {
    title: 'Under review',
    text: 'A tool whose schema or annotations changed stays hidden until you approve it. New titles, descriptions and optional arguments are accepted without a review, unless the manifest says "toolChanges": "strict".',
  },
  'kept-hidden': {
    title: 'Kept hidden',
    text: 'You can still approve these tools, as the service offers them now. If one changes again, it comes under review.',
  },
} as const;

/** Tools that changed since the deployment and are under review, or were kept hidden. */
export function ReviewQueue({
  userId,
  state,
  changes,
}: {
  userId: string;
  state: keyof typeof sections;
  changes: readonly ToolChange[];
}) {
  const [asked, setAsked] = useState<AskedDecision>();
  return (
    <Section id={`tools-${state}`} gap="gap-4" {...sections[state]}>
      <ul className="flex flex-col gap-3">
        {changes.map((change) => (
          <Card as="li" key={change.id} className="flex flex-col gap-4 sm:p-5">
            <div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
              <div className="min-w-0">
                <h3 className="font-semibold wrap-anywhere">
                  <code className="font-mono">{change.tool}</code>
                </h3>
                <p className="text-quiet">
                  {kinds[change.kind]}, <Ago moment={change.foundAt} />.
                </p>
              </div>
              <div className="flex gap-2">
                {state === 'under-review' && (
                  <Button onClick={() => setAsked({ change, verdict: 'reject' })}>
                    Keep hidden<span className="sr-only"> {change.tool}</span>
                  </Button>
                )}
                <Button
                  variant={state === 'under-review' ? 'primary' : 'secondary'}
                  onClick={() => setAsked({ change, verdict: 'approve' })}
                >
                  Approve<span className="sr-only"> {change.tool}</span>
                </Button>
              </div>
            </div>
            <DefinitionDiff change={change} />
          </Card>
        ))}
      </ul>
      <EachOpening asked={asked}>
        {(decision, open) => (
          <DecideDialog userId={userId} {...decision} open={open} onClose={() => setAsked(undefined)} />
        )}
      </EachOpening>
    </Section>
  );
}
