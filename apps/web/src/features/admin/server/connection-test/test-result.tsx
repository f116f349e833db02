import Info from 'lucide-react/icons/info';
import { counted, formatCount } from '#ui/text/amount.ts';
import { Button } from '#ui/button.tsx';
import { Card } from '#ui/card.tsx';
import { LinkButton } from '#ui/link-button.tsx';
import { Notice } from '#ui/state/notice.tsx';
import { ResultIcon } from '#ui/state/result-icon.tsx';
import { LogLines } from '../log-lines.tsx';
import { ExposedName } from '../tools/exposed-name.tsx';
import type { TestState } from './test-state.ts';

export function TestVerdict({
  state: { end, failure },
  serverId,
  onOwnAccount,
}: {
  state: TestState;
  serverId: string;
  onOwnAccount: () => void;
}) {
  if (failure !== undefined) return <Notice tone="bad">{failure}</Notice>;
  if (!end) return null;
  if (end.result !== 'needs_account') {
    return <Notice tone={tones[end.result]}>{end.text}</Notice>;
  }
  return (
    <Notice>
      <p>{end.text}</p>
      <p className="mt-1 text-quiet">
        To see what it offers, continue with your own account there. Connect it first if you haven’t yet.
      </p>
      <span className="mt-2 flex flex-wrap gap-2">
        <Button size="small" onClick={onOwnAccount}>
          Continue with my account
        </Button>
        <LinkButton to="/connect/$serverId" params={{ serverId }} size="small" variant="ghost">
          Connect my account
        </LinkButton>
      </span>
    </Notice>
  );
}

const tones = { passed: 'good', failed: 'bad', cancelled: 'info' } as const;

/** The tested server's capabilities, compared with those of the deployed version. */
export function TestedCapabilities({ capabilities }: { capabilities: NonNullable<TestState['tools']> }) {
  const { tools, prompts, resources, compared } = capabilities;
  return (
    <Card as="section" aria-labelledby="test-offer" padding="large">
      <h3 id="test-offer" className="font-medium">
        What it offers
      </h3>
      <p className="mt-1 text-quiet">
        {counted(tools.length, 'tool')}, {counted(prompts, 'prompt')}, {counted(resources, 'resource')}.
      </p>
      {compared && <Compared compared={compared} />}
      {!compared && <p className="mt-3 text-quiet">Nothing is deployed to compare it with.</p>}
      {tools.length > 0 && (
        <details className="mt-3">
          <summary className="w-fit rounded-sm py-1 text-[0.8125rem] text-quiet hover:text-text">All tools</summary>
          <ul className="mt-2 columns-1 gap-6 text-[0.8125rem] sm:columns-2">
            {tools.map((tool) => (
              <li key={tool.name} className="flex justify-between gap-3 py-0.5">
                <span className="min-w-0">
                  <code dir="auto" className="font-mono wrap-anywhere">
                    {tool.name}
                  </code>
                  {tool.exposedName !== tool.name && (
                    <span className="block">
                      <ExposedName name={tool.exposedName} />
                    </span>
                  )}
                </span>
                <span className="shrink-0 text-faint tabular-nums">{formatCount(tool.tokens)} tokens</span>
              </li>
            ))}
          </ul>
        </details>
      )}
    </Card>
  );
}

function Compared({ compared }: { compared: NonNullable<NonNullable<TestState['tools']>['compared']> }) {
  const kinds = [
    { name: 'New', names: compared.added },
    { name: 'Missing', names: compared.removed },
    { name: 'Changed', names: compared.changed },
  ].filter(({ names }) => names.length > 0);
  if (kinds.length === 0) return <p className="mt-3">The tools are the same as in the deployed version.</p>;
  return (
    <dl aria-label="Compared with the deployed version" className="mt-3 grid grid-cols-[auto_1fr] gap-x-4 gap-y-1.5">
      {kinds.map(({ name, names }) => (
        <div key={name} className="contents">
          <dt className="text-quiet">{name}</dt>
          <dd className="font-mono text-[0.8125rem] wrap-anywhere">{names.join(', ')}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Problems that clients will have, and notes. */
export function TestFindings({ findings }: { findings: NonNullable<TestState['findings']> }) {
  return (
    <section aria-labelledby="test-findings" className="flex flex-col gap-2">
      <h3 id="test-findings" className="font-medium">
        Findings
      </h3>
      {findings.length === 0 ? (
        <p className="text-quiet">No problems for clients.</p>
      ) : (
        <Card padding="none">
          <ul className="divide-y divide-line">
            {findings
              .toSorted((a, b) => Number(b.weight === 'bad') - Number(a.weight === 'bad'))
              .map(({ weight, about, text }) => (
                <li key={`${about} ${text}`} className="flex gap-3 px-4 py-2.5">
                  <span className="mt-0.5 shrink-0">
                    {weight === 'bad' ? (
                      <ResultIcon status="failed" />
                    ) : (
                      <Info aria-hidden size={16} className="text-quiet" />
                    )}
                  </span>
                  <p className="min-w-0 wrap-anywhere">
                    <span className="sr-only">{weight === 'bad' ? 'Problem: ' : 'Note: '}</span>
                    {about !== null && <code className="mr-2 font-mono text-[0.8125rem]">{about}</code>}
                    {text}
                  </p>
                </li>
              ))}
          </ul>
        </Card>
      )}
    </section>
  );
}

/** The program's stderr during the test. */
export function TestLines({ lines }: { lines: readonly string[] }) {
  if (lines.length === 0) return null;
  return (
    <section aria-labelledby="test-lines" className="flex flex-col gap-2">
      <h3 id="test-lines" className="font-medium">
        Error output of the program
      </h3>
      <LogLines label="Error output of the program" lines={lines} />
    </section>
  );
}
