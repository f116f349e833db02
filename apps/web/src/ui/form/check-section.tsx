import Stethoscope from 'lucide-react/icons/stethoscope';
import type { ReactNode } from 'react';
import { Button } from '../button.tsx';
import { Notice } from '../state/notice.tsx';
import { TitledSection, type SectionHeadingProps } from '../text/section-heading.tsx';

/** Checks that the user starts: a heading with the button, the reason if they could not run, and their results. */
export function CheckSection({
  run,
  failure,
  children,
  ...heading
}: Pick<SectionHeadingProps, 'id' | 'title' | 'text'> & {
  run: { label: string; pendingLabel: string; isPending: boolean; start(): void };
  failure: { title: string; reason: string | undefined } | undefined;
  children: ReactNode;
}) {
  return (
    <TitledSection
      {...heading}
      actions={
        <Button loading={run.isPending} icon={<Stethoscope aria-hidden size={16} />} onClick={run.start}>
          {run.isPending ? run.pendingLabel : run.label}
        </Button>
      }
    >
      {failure && (
        <Notice tone="bad">
          <strong className="font-medium">{failure.title}</strong>
          {failure.reason !== undefined && `: ${failure.reason}`}
        </Notice>
      )}
      {children}
    </TitledSection>
  );
}
