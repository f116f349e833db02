import ArrowUpRight from 'lucide-react/icons/arrow-up-right';
import { CodeBlock } from '#ui/code-block.tsx';
import { AnchorButton } from '#ui/link-button.tsx';
import { Notice } from '#ui/notice.tsx';
import { isLocal, type ClientForm } from './client-forms.ts';

/** How one client takes the link: a click where it has one, then steps and what to paste. */
export function ClientInstructions({ form, link }: { form: ClientForm; link: string }) {
  const { name, oneClick, steps, snippets, remote } = form;
  return (
    <div className="flex min-w-0 flex-col gap-3">
      {remote && isLocal(link) && (
        <Notice>
          {name} calls from the internet, and this link is on your own machine: it answers {name} once this installation
          has a public https address.
        </Notice>
      )}
      {oneClick && (
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
      {snippets.map(({ label, code }) => (
        <CodeBlock key={label} label={label} code={code} />
      ))}
    </div>
  );
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
