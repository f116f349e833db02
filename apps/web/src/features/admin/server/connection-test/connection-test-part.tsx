import { useEffect, useRef, useState } from 'react';
import { Button } from '#ui/button.tsx';
import { Card } from '#ui/card.tsx';
import { Field } from '#ui/form/field.tsx';
import { Select } from '#ui/form/select.tsx';
import { Section } from '../../section.tsx';
import type { ServerPartProps } from '../server-queries.ts';
import { TestFindings, TestLines, TestedCapabilities, TestVerdict } from './test-result.tsx';
import { TestSteps } from './test-steps.tsx';
import { useConnectionTest } from './use-connection-test.ts';

const ownText = 'text';

export function ConnectionTestPart({
  serverId,
  shown,
  text,
}: ServerPartProps & {
  /** The editor's text, if it is tested instead of a stored version. */
  text: string | undefined;
}) {
  const { versions, listed } = shown;
  const stored = versions.map(({ version, status }) => ({
    value: `version ${version}`,
    label: status === 'staging' ? `${version}, staged` : status === 'deployed' ? `${version}, deployed` : version,
  }));
  const options = [...(text === undefined ? [] : [{ value: ownText, label: 'Your text in the editor' }]), ...stored];
  const byDefault = listed?.stagedVersion ?? listed?.deployedVersion ?? versions[0]?.version ?? '';
  const [chosen, setChosen] = useState(text === undefined ? `version ${byDefault}` : ownText);
  const { state, start, cancel } = useConnectionTest();
  const begin = (withOwnAccount: boolean) =>
    void start(
      chosen === ownText && text !== undefined
        ? { manifest: text, withOwnAccount }
        : { serverId, version: chosen.slice('version '.length), withOwnAccount },
    );
  // 'Test this text' starts the test directly
  const beginAtFirst = useRef(text === undefined ? undefined : () => begin(false));
  useEffect(() => {
    beginAtFirst.current?.();
    beginAtFirst.current = undefined;
  }, []);
  const { isRunning, steps, tools, findings, lines } = state;
  return (
    <Section
      id="server-test"
      gap="gap-5"
      title="Connection test"
      text="Connects as a deployment would, and changes nothing."
    >
      <div className="flex flex-wrap items-end gap-3">
        <div className="min-w-48">
          <Field label="What to test">
            <Select options={options} value={chosen} onChange={setChosen} disabled={isRunning} />
          </Field>
        </div>
        {isRunning ? (
          <Button onClick={cancel}>Cancel test</Button>
        ) : (
          <Button variant="primary" onClick={() => begin(false)}>
            Start test
          </Button>
        )}
      </div>
      <TestVerdict state={state} serverId={serverId} onOwnAccount={() => begin(true)} />
      {steps.length > 0 && (
        <Card padding="large">
          <TestSteps steps={steps} />
        </Card>
      )}
      {tools && <TestedCapabilities capabilities={tools} />}
      {findings && <TestFindings findings={findings} />}
      {lines && <TestLines lines={lines} />}
    </Section>
  );
}
