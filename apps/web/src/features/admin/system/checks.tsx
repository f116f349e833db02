import { useMutation } from '@tanstack/react-query';
import { Card } from '#ui/card.tsx';
import { CheckList } from '#ui/form/check-list.tsx';
import { CheckSection } from '#ui/form/check-section.tsx';
import { Notice } from '#ui/state/notice.tsx';
import { counted } from '#ui/text/amount.ts';
import { describeFailure } from '#web/texts/failure-text.ts';
import { systemApi } from './system-queries.ts';

const bySeverity = ['failed', 'warned', 'skipped', 'passed'];

export function Checks() {
  const run = useMutation({ mutationFn: () => systemApi.runSystemChecks() });
  const failure = run.isError ? describeFailure("The checks couldn't run", run.error) : undefined;
  const faults = run.data?.checks.filter(({ status }) => status === 'failed').length ?? 0;
  const sorted = run.data?.checks.toSorted((a, b) => bySeverity.indexOf(a.status) - bySeverity.indexOf(b.status)) ?? [];
  return (
    <CheckSection
      id="system-checks"
      title="Checks"
      text="Checks the configuration, how clients connect and the payment provider, as souk check-config and souk doctor do. Takes up to 45 seconds."
      run={{ label: 'Run checks', pendingLabel: 'Checking…', isPending: run.isPending, start: run.mutate }}
      failure={failure}
    >
      {run.data && (
        <>
          <Notice tone={faults === 0 ? 'good' : 'bad'}>
            {faults === 0 ? 'No fault found.' : `${counted(faults, 'check')} found a fault.`}
          </Notice>
          <Card padding="none">
            <CheckList label="Checks" checks={sorted} />
          </Card>
        </>
      )}
    </CheckSection>
  );
}
