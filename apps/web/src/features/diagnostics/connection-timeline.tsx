import { Advice } from '#ui/form/check-list.tsx';
import type { ConnectionAttempt } from '@souk/contract/diagnostics.ts';
import { formatMoment } from '#ui/text/amount.ts';
import { stepStatusTexts, stepTexts, visibleSteps } from './attempt-texts.ts';
import { ResultIcon } from '#ui/state/result-icon.tsx';

export function ConnectionTimeline({ attempt }: { attempt: ConnectionAttempt }) {
  return (
    <ol aria-label={`Steps of ${attempt.client.name}`}>
      {visibleSteps(attempt).map(({ step, status, at, detail, advice }) => {
        const { name, text } = stepTexts[step];
        return (
          <li key={step} className="group/step relative flex gap-3 pb-3 last:pb-0">
            <span aria-hidden className="absolute top-5 bottom-0 left-[7.5px] w-px bg-line group-last/step:hidden" />
            <span className="mt-0.5 shrink-0">
              <ResultIcon status={status} />
            </span>
            <div className="min-w-0 flex-1">
              <div className="flex flex-wrap items-baseline gap-x-2">
                <span
                  dir="auto"
                  className={status === 'not-reached' || status === 'skipped' ? 'text-quiet' : 'font-medium'}
                >
                  {name}
                </span>
                <span className={status === 'passed' ? 'sr-only' : 'text-[0.8125rem] text-quiet'}>
                  {stepStatusTexts[status]}
                </span>
                {at !== null && (
                  <time dateTime={at} className="ml-auto text-xs text-faint tabular-nums">
                    {formatMoment(at)}
                  </time>
                )}
              </div>
              {(status === 'passed' || detail !== null) && (
                <p className="text-[0.8125rem] text-quiet wrap-anywhere">{detail ?? text}</p>
              )}
              {advice !== null && <Advice calm={status === 'warned'}>{advice}</Advice>}
            </div>
          </li>
        );
      })}
    </ol>
  );
}
