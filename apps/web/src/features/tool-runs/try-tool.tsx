import type { CapabilityAnswer, ServerAnswer } from '@souk/contract/catalogue/catalogue.ts';
import { useEffect, useRef, type ReactNode } from 'react';
import { Button } from '#ui/button.tsx';
import { Notice } from '#ui/state/notice.tsx';
import { Spinner } from '#ui/state/spinner.tsx';
import { asRecord } from './form/schema-field.ts';
import { QuestionCard } from './question-card.tsx';
import { RunResult } from './result/run-result.tsx';
import type { RunState } from './run-state.ts';
import { ToolForm } from './tool-form.tsx';
import { useToolRun } from './use-tool-run.ts';

export type TryToolProps = {
  server: Pick<ServerAnswer, 'serverId' | 'displayName'>;
  tool: CapabilityAnswer;
  /** The cost of a run, next to the button. `available`: the balance after the last run. */
  cost: (available: number | undefined) => ReactNode;
  onClose: () => void;
  onEnd: () => void;
};

/** Runs a tool in its row: the form, the progress, the questions and the result. */
export function TryTool({ server, tool, cost, onClose, onEnd }: TryToolProps) {
  const { state, start, answer, cancel } = useToolRun(onEnd);
  const isRunning = state.phase === 'running';
  const isDestructive = tool.annotations?.['destructiveHint'] === true && tool.annotations['readOnlyHint'] !== true;
  return (
    <div className="space-y-4">
      {isDestructive && <Notice>This tool says that it can delete or overwrite data. It runs for real.</Notice>}
      <ToolForm
        schema={asRecord(tool.inputSchema)}
        label={`Parameters of ${tool.displayName}`}
        withJson
        onSubmit={(values) => {
          if (!isRunning) void start({ serverId: server.serverId, tool: tool.name, arguments: values });
        }}
      >
        <Button type="submit" variant="primary" loading={isRunning}>
          {isRunning ? 'Running…' : 'Run'}
        </Button>
        {isRunning ? (
          <Button loading={state.isCancelling} onClick={() => void cancel()}>
            Cancel
          </Button>
        ) : (
          <Button onClick={onClose}>Close</Button>
        )}
        {cost(state.available)}
      </ToolForm>
      {isRunning && <Progress state={state} />}
      {state.questions.map((question) => (
        <QuestionCard key={question.id} question={question} server={server.displayName} answer={answer} />
      ))}
      {state.end && <End end={state.end} tool={tool.displayName} />}
    </div>
  );
}

function Progress({ state: { progress, questions } }: { state: RunState }) {
  if (questions.length > 0) return null;
  const { progress: done = 0, total, message } = progress ?? {};
  return (
    <div className="space-y-1.5">
      {total !== undefined && total > 0 && (
        <progress
          aria-label="Progress"
          max={total}
          value={Math.min(done, total)}
          className="block h-1.5 w-full appearance-none overflow-hidden rounded-full bg-sunken [&::-moz-progress-bar]:bg-accent [&::-webkit-progress-bar]:bg-sunken [&::-webkit-progress-value]:bg-accent"
        />
      )}
      <p role="status" className="flex items-center gap-2 text-[0.8125rem] text-quiet">
        <Spinner size={14} />
        <span className="min-w-0 wrap-anywhere tabular-nums">
          {message?.slice(0, 300) ?? (total === undefined ? 'Waiting for the tool…' : `${done} of ${total}`)}
        </span>
      </p>
    </div>
  );
}

/** The end of a run. It gets the focus, so that screen readers announce it and the keyboard continues at the result. */
function End({ end, tool }: { end: NonNullable<RunState['end']>; tool: string }) {
  const region = useRef<HTMLElement>(null);
  useEffect(() => region.current?.focus({ preventScroll: true }), []);
  return (
    <section ref={region} tabIndex={-1} aria-label={`Result of ${tool}`} className="outline-none">
      {end.type === 'result' ? <RunResult result={end} tool={tool} /> : <Notice tone="bad">{end.message}</Notice>}
    </section>
  );
}
