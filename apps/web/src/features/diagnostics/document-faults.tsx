import type { DocumentFault } from '@souk/contract/diagnostics.ts';
import { Card } from '#ui/card.tsx';
import { Ago } from '#ui/moment.tsx';
import { SectionHeading } from '#ui/section-heading.tsx';
import { Advice } from './connection-timeline.tsx';
import { ResultIcon } from './result-icon.tsx';

/** Clients whose published description could not be fetched. Nobody was signed in then, so these are no one's attempts. */
export function DocumentFaults({ faults }: { faults: readonly DocumentFault[] }) {
  if (faults.length === 0) return null;
  return (
    <section aria-labelledby="document-faults-heading" className="flex flex-col gap-4">
      <SectionHeading
        id="document-faults-heading"
        title="Clients that couldn't be looked up"
        text="Some clients publish a description of themselves, which this server reads before anyone signs in. These couldn't be read, whoever tried to connect."
      />
      <Card padding="none">
        <ul aria-labelledby="document-faults-heading" className="divide-y divide-line">
          {faults.map((fault) => (
            <li key={fault.address} className="flex gap-3 px-4 py-3">
              <span className="mt-0.5 shrink-0">
                <ResultIcon status="warned" />
              </span>
              <div className="min-w-0 flex-1">
                <span className="font-medium wrap-anywhere">{fault.client}</span>
                <p className="text-[0.8125rem] text-quiet wrap-anywhere">
                  {fault.address}: {fault.fault}.
                </p>
                <Advice>{fault.advice}</Advice>
              </div>
              <span className="shrink-0 text-right text-[0.8125rem] text-quiet">
                <Ago moment={fault.lastAt} />
                <span className="block">{fault.times === 1 ? 'once' : `${fault.times} times`}</span>
              </span>
            </li>
          ))}
        </ul>
      </Card>
    </section>
  );
}
