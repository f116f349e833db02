import type { ConnectionCheck } from '@souk/contract/diagnostics.ts';
import { useMutation } from '@tanstack/react-query';
import ChevronRight from 'lucide-react/icons/chevron-right';
import { Card } from '#ui/card.tsx';
import { Notice } from '#ui/state/notice.tsx';
import { describeFailure } from '#web/texts/failure-text.ts';
import { diagnosticsApi } from './diagnostics-api.ts';
import { CheckList } from '#ui/form/check-list.tsx';
import { CheckSection } from '#ui/form/check-section.tsx';

/** Runs the steps of a client against this installation and shows the faults. */
export function SelfTest({ userId }: { userId: string }) {
  const test = useMutation({
    mutationFn: () => diagnosticsApi.testConnection({ params: { userId }, body: { browserTimeMs: Date.now() } }),
  });
  const failure = test.isError ? describeFailure("The self-test couldn't run", test.error) : undefined;
  return (
    <CheckSection
      id="self-test-heading"
      title="Self-test"
      text="Does what a client does, from finding the sign-in to listing tools, and names what fails. Useful for the administrator of this installation."
      run={{ label: 'Run the self-test', pendingLabel: 'Testing…', isPending: test.isPending, start: test.mutate }}
      failure={failure}
    >
      {test.data && <Verdict ok={test.data.ok} checks={test.data.checks} />}
    </CheckSection>
  );
}

function Verdict({ ok, checks }: { ok: boolean; checks: readonly ConnectionCheck[] }) {
  const faults = checks.filter(({ status }) => status === 'failed');
  const warnings = checks.filter(({ status }) => status === 'warned');
  const others = checks.filter(({ status }) => status === 'passed' || status === 'skipped');
  return (
    <>
      <Notice tone={ok ? 'good' : 'bad'}>
        {ok ? 'Clients can connect: no faults found.' : `${faults.length} of ${checks.length} checks found a fault.`}
      </Notice>
      {faults.length > 0 && (
        <Card padding="none">
          <CheckList label="Faults" checks={faults} />
        </Card>
      )}
      {warnings.length > 0 && (
        <Card padding="none">
          <CheckList label="Warnings" checks={warnings} />
        </Card>
      )}
      <Card padding="none" className="overflow-hidden">
        <details className="group">
          <summary className="flex list-none items-center gap-2.5 px-4 py-3 text-quiet hover:bg-sunken/50 focus-visible:-outline-offset-2 [&::-webkit-details-marker]:hidden">
            <ChevronRight
              aria-hidden
              size={16}
              className="shrink-0 text-faint transition-transform group-open:rotate-90"
            />
            All checks
            <span className="ml-auto tabular-nums">
              {others.filter(({ status }) => status === 'passed').length} of {checks.length} passed
            </span>
          </summary>
          <div className="border-t border-line">
            <CheckList label="Checks" checks={others} />
          </div>
        </details>
      </Card>
    </>
  );
}
