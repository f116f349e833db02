import type { System } from '@souk/contract/admin/system.ts';
import { Card } from '#ui/card.tsx';
import { Notice } from '#ui/state/notice.tsx';
import { ResultIcon } from '#ui/state/result-icon.tsx';
import { Section } from '../section.tsx';

export function Warnings({ warnings }: { warnings: System['warnings'] }) {
  return (
    <Section id="system-warnings" title="Warnings">
      {warnings.length === 0 ? (
        <Notice tone="good">Nothing needs your attention.</Notice>
      ) : (
        <Card padding="none">
          <ul aria-label="Warnings" className="divide-y divide-line">
            {warnings.map(({ id, text }) => (
              <li key={`${id} ${text}`} className="flex gap-3 px-4 py-3">
                <span className="mt-0.5 shrink-0">
                  <ResultIcon status="warned" />
                </span>
                <span className="max-w-[70ch] min-w-0 wrap-anywhere">{text}</span>
              </li>
            ))}
          </ul>
        </Card>
      )}
    </Section>
  );
}
