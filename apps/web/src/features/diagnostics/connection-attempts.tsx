import type { ConnectionAttempt } from '@souk/contract/diagnostics.ts';
import ChevronRight from 'lucide-react/icons/chevron-right';
import { Badge } from '#ui/state/badge.tsx';
import { Card } from '#ui/card.tsx';
import { StatusBadge } from '#ui/state/status-badge.tsx';
import { attemptStatusTexts, protocolText, summarize } from './attempt-texts.ts';
import { ConnectionTimeline } from './connection-timeline.tsx';
import { Ago } from '#ui/text/moment.tsx';

export type ConnectionAttemptsProps = {
  attempts: readonly ConnectionAttempt[];
  isOpen: (attempt: ConnectionAttempt) => boolean;
  onToggle: (attempt: ConnectionAttempt, open: boolean) => void;
};

export function ConnectionAttempts({ attempts, isOpen, onToggle }: ConnectionAttemptsProps) {
  return (
    <Card padding="none" className="overflow-hidden">
      <ul className="divide-y divide-line">
        {attempts.map((attempt) => (
          <li key={attempt.id}>
            <AttemptRow attempt={attempt} open={isOpen(attempt)} onToggle={(open) => onToggle(attempt, open)} />
          </li>
        ))}
      </ul>
    </Card>
  );
}

type AttemptRowProps = { attempt: ConnectionAttempt; open: boolean; onToggle: (open: boolean) => void };

function AttemptRow({ attempt, open, onToggle }: AttemptRowProps) {
  const { word, tone } = attemptStatusTexts[attempt.status];
  const protocol = protocolText(attempt);
  return (
    <details open={open} onToggle={(event) => onToggle(event.currentTarget.open)} className="group">
      <summary className="flex list-none items-start gap-2.5 px-4 py-3.5 hover:bg-sunken/50 focus-visible:-outline-offset-2 [&::-webkit-details-marker]:hidden">
        <ChevronRight
          aria-hidden
          size={16}
          className="mt-0.5 shrink-0 text-faint transition-transform group-open:rotate-90"
        />
        <span className="min-w-0 flex-1">
          <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
            <span className="font-medium wrap-anywhere">{attempt.client.name || 'Unnamed client'}</span>
            <StatusBadge status={word} tone={tone} />
            {protocol !== undefined && <Badge>{protocol}</Badge>}
          </span>
          <span className="mt-1 block text-quiet wrap-anywhere">{summarize(attempt)}</span>
        </span>
        <span className="shrink-0 text-right text-[0.8125rem] text-quiet">
          <Ago moment={attempt.lastAt} />
        </span>
      </summary>
      <div className="pr-4 pb-5 pl-10.5">
        <ConnectionTimeline attempt={attempt} />
        {attempt.client.userAgent !== '' && (
          <p className="mt-4 text-xs text-faint wrap-anywhere">User agent: {attempt.client.userAgent}</p>
        )}
      </div>
    </details>
  );
}
