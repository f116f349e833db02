import ArrowRight from 'lucide-react/icons/arrow-right';
import type { ReactNode } from 'react';
import { formatCount } from '#ui/text/amount.ts';
import { TextLink } from '#ui/text/text-link.tsx';

export type PriceChangeProps = {
  tool: { serverId: string; serverName: string; toolName: string };
  before: number;
  after: number;
  when: ReactNode;
  children?: ReactNode;
};

export function PriceChange({
  tool: { serverId, serverName, toolName },
  before,
  after,
  when,
  children,
}: PriceChangeProps) {
  return (
    <div className="flex flex-wrap items-center gap-x-6 gap-y-2">
      <div className="min-w-0 flex-1 basis-48">
        <p dir="auto" className="font-medium wrap-anywhere">
          {toolName}
        </p>
        <p className="text-[0.8125rem] text-quiet">
          <TextLink dir="auto" to="/service/$serviceId" params={{ serviceId: serverId }} tone="quiet">
            {serverName}
          </TextLink>
          {' · '}
          {when}
        </p>
      </div>
      <div className="flex flex-1 basis-56 flex-wrap items-center justify-between gap-x-6 gap-y-2 sm:justify-end">
        <p className="flex items-center gap-1.5 tabular-nums">
          <span className="text-quiet">
            <span className="sr-only">from </span>
            {before === 0 ? 'Free' : formatCount(before)}
          </span>{' '}
          <ArrowRight aria-hidden size={14} className="text-faint" />
          <span>
            <span className="sr-only">to </span>
            <strong className="font-semibold">{formatCount(after)}</strong>{' '}
            <span className="text-quiet">{after === 1 ? 'credit' : 'credits'} per call</span>
          </span>
        </p>
        {children}
      </div>
    </div>
  );
}
