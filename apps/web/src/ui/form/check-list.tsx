import { classNames } from '../class-names.ts';
import { ResultIcon } from '../state/result-icon.tsx';

type Check = {
  id: string;
  name: string;
  status: 'passed' | 'warned' | 'failed' | 'skipped';
  detail: string;
  advice: string | null;
};

export function CheckList({ label, checks }: { label: string; checks: readonly Check[] }) {
  return (
    <ul aria-label={label} className="divide-y divide-line">
      {checks.map((check) => (
        <li key={`${check.id} ${check.detail}`} className="flex gap-3 px-4 py-3">
          <span className="mt-0.5 shrink-0">
            <ResultIcon status={check.status} />
          </span>
          <div className="min-w-0 flex-1">
            <span dir="auto" className="font-medium">
              {check.name}
            </span>{' '}
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

const checkStatusTexts: Readonly<Record<Check['status'], string>> = {
  passed: 'Passed',
  warned: 'Warning',
  failed: 'Failed',
  skipped: 'Not checked',
};

/** Says how to fix a fault. `calm`: everything works even without the fix. */
export function Advice({ calm = false, children }: { calm?: boolean; children: string }) {
  return (
    <p
      className={classNames(
        'mt-1.5 max-w-prose rounded-md px-3 py-2 wrap-anywhere',
        calm ? 'bg-sunken' : 'bg-bad-soft',
      )}
    >
      <span className="font-medium">What to do: </span>
      {children}
    </p>
  );
}
