import type { RunQuestion } from '@souk/contract/tool-runs.ts';
import { utcDayText } from '@souk/contract/utc-day.ts';
import { useEffect, useRef, useState } from 'react';
import { counted, formatCount } from '#ui/text/amount.ts';
import { Button } from '#ui/button.tsx';
import { AnchorButton } from '#ui/link-button.tsx';
import { Notice } from '#ui/state/notice.tsx';
import { failureText } from '#web/texts/failure-text.ts';
import { webAddress } from './result/web-address.ts';
import { ToolForm } from './tool-form.tsx';
import type { AnswerRun } from './tool-runs-api.ts';

export type QuestionCardProps = {
  question: RunQuestion;
  server: string;
  answer: (answer: AnswerRun) => Promise<void>;
};

/** A question during a run, from the server or about its price. It gets the focus, since the run waits for it. */
export function QuestionCard({ question, server, answer }: QuestionCardProps) {
  const { id } = question;
  const [sending, setSending] = useState<AnswerRun['action']>();
  const [failure, setFailure] = useState<string>();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  const send = (action: AnswerRun['action'], content?: Record<string, unknown>) => {
    if (sending !== undefined) return;
    setSending(action);
    setFailure(undefined);
    // the broker checks that they are plain values
    const fields = content as AnswerRun['content'];
    answer({ id, action, ...(fields && { content: fields }) }).catch((error: unknown) => {
      setSending(undefined);
      setFailure(failureText(error));
    });
  };
  const decline = (
    <Button loading={sending === 'decline'} onClick={() => send('decline')}>
      Decline
    </Button>
  );
  return (
    <section aria-labelledby={`question-${id}`} className="space-y-4 rounded-md border border-accent p-4">
      <div>
        <h3 id={`question-${id}`} ref={heading} tabIndex={-1} className="font-medium outline-none">
          {question.mode === 'price' ? 'The price of this tool rose' : `${server} asks`}
        </h3>
        <p className="mt-1 wrap-anywhere whitespace-pre-wrap">
          {question.mode === 'price' ? priceText(question) : question.message.slice(0, maxMessageCharacters)}
        </p>
      </div>
      {question.mode === 'price' ? (
        <div className="flex flex-wrap gap-2">
          <Button variant="primary" loading={sending === 'accept'} onClick={() => send('accept', { approve: true })}>
            Approve and run
          </Button>
          {decline}
        </div>
      ) : question.mode === 'form' ? (
        <ToolForm
          schema={question.schema}
          label={`Question from ${server}`}
          withJson={false}
          onSubmit={(values) => send('accept', values)}
        >
          <Button type="submit" variant="primary" loading={sending === 'accept'}>
            Send answer
          </Button>
          {decline}
        </ToolForm>
      ) : (
        <>
          <PageToOpen url={question.url} />
          <div className="flex flex-wrap gap-2">
            <Button loading={sending === 'accept'} onClick={() => send('accept')}>
              I've done that, continue
            </Button>
            {decline}
          </div>
        </>
      )}
      {failure !== undefined && <Notice tone="bad">{failure}</Notice>}
    </section>
  );
}

const maxMessageCharacters = 4000;

/** Shows the host, since the page belongs to another site. */
function PageToOpen({ url }: { url: string }) {
  const address = webAddress(url);
  if (!address) return null;
  return (
    <div>
      <AnchorButton variant="primary" href={address.href} target="_blank" rel="noopener noreferrer">
        Open {address.host}
        <span className="sr-only"> (opens a new tab)</span>
      </AnchorButton>
      <p className="mt-2 text-[0.8125rem] text-quiet">
        <code className="font-mono wrap-anywhere">{address.href.slice(0, 300)}</code>
      </p>
    </div>
  );
}

function priceText({ oldCredits, newCredits, raisedAt }: Extract<RunQuestion, { mode: 'price' }>): string {
  const now = counted(newCredits, 'credit');
  const before = oldCredits === 0 ? 'being free' : formatCount(oldCredits);
  return `Since ${utcDayText(raisedAt)} a call costs ${now} instead of ${before}. Approve it to run the tool at this price, now and later.`;
}
