import type { DocumentFault } from '@souk/contract/diagnostics.ts';
import { CardList } from '#ui/card.tsx';
import { Ago } from '#ui/text/moment.tsx';
import { TitledSection } from '#ui/text/section-heading.tsx';
import { StatusBadge } from '#ui/state/status-badge.tsx';
import { Advice } from '#ui/form/check-list.tsx';

/**
 * Clients whose published description could not be fetched. They were not signed in yet, so these attempts belong to no
 * user.
 */
export function DocumentFaults({ faults }: { faults: readonly DocumentFault[] }) {
  if (faults.length === 0) return null;
  return (
    <TitledSection
      id="document-faults-heading"
      title="Clients that couldn't be looked up"
      text="Some clients publish a description of themselves, which this server reads before anyone signs in. These couldn't be read, no matter who tried to connect."
    >
      <CardList aria-labelledby="document-faults-heading">
        {faults.map((fault) => (
          <li key={fault.address} className="px-4 py-3.5">
            <div className="flex flex-wrap items-baseline justify-between gap-x-4">
              <span className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1">
                <span className="min-w-0 font-medium wrap-anywhere">{fault.client}</span>
                {fault.hasCopy ? (
                  <StatusBadge status="Sign-in works" tone="good" />
                ) : (
                  <StatusBadge status="Can't sign in" tone="bad" />
                )}
              </span>
              <span className="text-[0.8125rem] text-quiet">
                <Ago moment={fault.lastAt} />, {fault.times === 1 ? 'once' : `${fault.times} times`}
              </span>
            </div>
            <p className="mt-1 text-quiet wrap-anywhere">{asSentence(fault.fault)}</p>
            {/* anyone can send an address, and a long one could fill the screen */}
            <p title={fault.address} className="line-clamp-2 text-xs text-faint wrap-anywhere">
              {fault.address}
            </p>
            <Advice calm={fault.hasCopy}>{fault.advice}</Advice>
          </li>
        ))}
      </CardList>
    </TitledSection>
  );
}

const asSentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
