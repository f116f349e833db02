import ArrowUpRight from 'lucide-react/icons/arrow-up-right';
import { Button } from '#ui/button.tsx';
import { CodeBlock } from '#ui/text/code-block.tsx';
import { AnchorButton } from '#ui/link-button.tsx';
import { Notice } from '#ui/state/notice.tsx';
import { TextLink } from '#ui/text/text-link.tsx';
import { isLocal, type ClientForm, type Snippet } from './client-forms.ts';

export function ClientInstructions({ form, link }: { form: ClientForm; link: string }) {
  const { name, oneClick, steps, snippets, next, menusAsOf, remote } = form;
  const isUnreachable = remote && isLocal(link);
  return (
    <div className="flex min-w-0 flex-col gap-3">
      {isUnreachable && (
        <Notice>
          {name} calls from the internet and can't reach this link on your own machine. It works once this installation
          has a public https address. Only its administrator can change that.
        </Notice>
      )}
      {oneClick && isUnreachable && (
        <Button disabled variant="primary" className="self-start">
          {oneClick.label}
        </Button>
      )}
      {oneClick && !isUnreachable && (
        <AnchorButton
          href={oneClick.href}
          variant="primary"
          className="self-start"
          {...(oneClick.href.startsWith('https:') && { target: '_blank', rel: 'noreferrer' })}
        >
          {oneClick.label}
          <ArrowUpRight aria-hidden size={16} />
        </AnchorButton>
      )}
      <Steps steps={steps} />
      <Snippets snippets={snippets.filter(({ needsToken }) => !needsToken)} />
      {!isUnreachable && (
        <p className="text-quiet">
          <span className="font-medium text-ink">What to expect: </span>
          {next}
        </p>
      )}
      <Snippets snippets={snippets.filter(({ needsToken }) => needsToken)} />
      {menusAsOf !== undefined && (
        <p className="text-[0.8125rem] text-faint">
          {name}'s menus as of {menusAsOf}.
        </p>
      )}
    </div>
  );
}

function Snippets({ snippets }: { snippets: readonly Snippet[] }) {
  return snippets.map(({ label, code, needsToken }) => (
    <div key={label} className="flex min-w-0 flex-col items-stretch gap-1.5">
      <CodeBlock label={label} code={code} />
      {needsToken && (
        // through the sign-in, which signed-in users skip
        <TextLink to="/sign-in" search={{ return_to: '/dashboard?tab=connections&part=tokens' }} className="self-start">
          Create an access token
        </TextLink>
      )}
    </div>
  ));
}

function Steps({ steps }: { steps: readonly string[] }) {
  if (steps.length === 1) return <p className="text-quiet">{steps[0]}</p>;
  return (
    <ol className="list-decimal space-y-1 pl-5 text-quiet">
      {steps.map((step) => (
        <li key={step}>{step}</li>
      ))}
    </ol>
  );
}
