import type { TestStep } from '@souk/contract/admin/servers.ts';
import { formatCount } from '#ui/text/amount.ts';
import { ResultIcon } from '#ui/state/result-icon.tsx';
import { Spinner } from '#ui/state/spinner.tsx';
import type { StepState } from './test-state.ts';

const names: Readonly<Record<TestStep, string>> = {
  manifest: 'Manifest',
  resolve: 'Name resolved',
  address: 'Address allowed',
  tls: 'TLS',
  connect: 'Connected',
  alias: 'Command allowed',
  sandbox: 'Sandbox',
  start: 'Program started',
  initialize: 'MCP initialized',
  lists: 'Lists loaded',
  findings: 'Findings',
};

const words: Readonly<Record<StepState['status'], string>> = {
  waiting: 'Waiting',
  working: 'Working…',
  passed: 'Passed',
  failed: 'Failed',
  skipped: 'Not needed',
  'not-reached': 'Not reached',
};

export function TestSteps({ steps }: { steps: readonly StepState[] }) {
  return (
    <ol aria-label="Steps of the test" aria-live="polite">
      {steps.map(({ step, status, text, ms }) => (
        <li key={step} className="group/step relative flex gap-3 pb-3 last:pb-0">
          <span aria-hidden className="absolute top-5 bottom-0 left-[7.5px] w-px bg-line group-last/step:hidden" />
          <span className="mt-0.5 flex size-4 shrink-0 items-center justify-center">
            {status === 'working' ? <Spinner /> : <ResultIcon status={status === 'waiting' ? 'not-reached' : status} />}
          </span>
          <div className="min-w-0 flex-1">
            <div className="flex flex-wrap items-baseline gap-x-2">
              <span className={status === 'passed' || status === 'failed' ? 'font-medium' : 'text-quiet'}>
                {names[step]}
              </span>
              <span className={status === 'passed' ? 'sr-only' : 'text-[0.8125rem] text-quiet'}>{words[status]}</span>
              {ms !== undefined && (status === 'passed' || status === 'failed') && (
                <span className="ml-auto text-xs text-faint tabular-nums">{formatCount(ms)} ms</span>
              )}
            </div>
            {text !== undefined && text !== '' && <p className="text-[0.8125rem] wrap-anywhere text-quiet">{text}</p>}
          </div>
        </li>
      ))}
    </ol>
  );
}
