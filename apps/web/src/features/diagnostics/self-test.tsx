import type { ConnectionCheck } from '@souk/contract/diagnostics.ts';
import { useMutation } from '@tanstack/react-query';
import ChevronRight from 'lucide-react/icons/chevron-right';
import Stethoscope from 'lucide-react/icons/stethoscope';
import { Button } from '#ui/button.tsx';
import { Card } from '#ui/card.tsx';
import { Notice } from '#ui/notice.tsx';
import { describeFailure } from '#web/failure-text.ts';
import { diagnosticsApi } from './diagnostics-api.ts';
import { Advice } from './connection-timeline.tsx';
import { ResultIcon } from '#ui/result-icon.tsx';
import { SectionHeading } from '#ui/section-heading.tsx';

/** Runs the steps of a client against this installation and shows the faults. */
export function SelfTest({ userId }: { userId: string }) {
  const test = useMutation({
    mutationFn: () => diagnosticsApi.testConnection({ params: { userId }, body: { browserTimeMs: Date.now() } }),
  });
  const failure = test.isError ? describeFailure("The self-test couldn't run", test.error) : undefined;
  return (
    <section aria-labelledby="self-test-heading" className="flex flex-col gap-4">
      <SectionHeading
        id="self-test-heading"
        title="Self-test"
        text="Checks what a client does, from finding the sign-in to listing tools, and names what is in its way. Useful for the administrator of this installation."
        actions={
          <Button loading={test.isPending} icon={<Stethoscope aria-hidden size={16} />} onClick={() => test.mutate()}>
            {test.isPending ? 'Testing…' : 'Run the self-test'}
          </Button>
        }
      />
      {failure && (
        <Notice tone="bad">
          <strong className="font-medium">{failure.title}</strong>
          {failure.reason !== undefined && `: ${failure.reason}`}
        </Notice>
      )}
      {test.data && <Verdict ok={test.data.ok} checks={test.data.checks} />}
    </section>
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

function CheckList({ label, checks }: { label: string; checks: readonly ConnectionCheck[] }) {
  return (
    <ul aria-label={label} className="divide-y divide-line">
      {checks.map((check) => (
        <li key={check.id} className="flex gap-3 px-4 py-3">
          <span className="mt-0.5 shrink-0">
            <ResultIcon status={check.status} />
          </span>
          <div className="min-w-0 flex-1">
            <span className="font-medium">{check.name}</span>{' '}
            <span className={check.status === 'passed' ? 'sr-only' : 'text-[0.8125rem] text-quiet'}>
              {checkStatusTexts[check.status]}
            </span>
            <p className="text-[0.8125rem] text-quiet wrap-anywhere">{check.detail}</p>
            {check.advice !== null && <Advice calm={check.status === 'warned'}>{check.advice}</Advice>}
          </div>
        </li>
      ))}
    </ul>
  );
}

const checkStatusTexts: Readonly<Record<ConnectionCheck['status'], string>> = {
  passed: 'Passed',
  warned: 'Warning',
  failed: 'Failed',
  skipped: 'Not checked',
};
