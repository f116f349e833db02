import { useMemo, type ReactNode } from 'react';
import { CodeBlock } from '#ui/text/code-block.tsx';
import { classNames } from '#ui/class-names.ts';
import { TextAnchor } from '#ui/text/text-link.tsx';
import { parseMarkdown, textOf, type Part } from './parse-markdown.ts';
import { webAddress } from './web-address.ts';

/** Renders a server's Markdown. Links open in a new tab and show their host; nothing is loaded. */
export function Markdown({ text }: { text: string }) {
  const { parts, isCut } = useMemo(() => parseMarkdown(text), [text]);
  return (
    <div className="min-w-0 space-y-3 wrap-anywhere">
      <Parts parts={parts} />
      {isCut && <p className="text-quiet">The rest is left out here.</p>}
    </div>
  );
}

// the text of a result never changes
const Parts = ({ parts }: { parts: readonly Part[] }): ReactNode =>
  parts.map((part, index) => <PartView key={index} part={part} />);

type Look = {
  Tag: 'p' | 'blockquote' | 'ul' | 'li' | 'thead' | 'tbody' | 'tr' | 'strong' | 'em' | 's';
  className?: string;
};

/** Elements that need nothing from their token. */
const looks: ReadonlyMap<string, Look> = new Map<string, Look>([
  // not a heading, which would break the order of the page's headings
  ['heading', { Tag: 'p', className: 'font-semibold' }],
  ['paragraph', { Tag: 'p', className: 'whitespace-pre-line' }],
  ['blockquote', { Tag: 'blockquote', className: 'space-y-3 border-l-2 border-line pl-3 text-quiet' }],
  ['bullet_list', { Tag: 'ul', className: 'list-disc space-y-1 pl-6' }],
  ['list_item', { Tag: 'li', className: 'space-y-1 whitespace-pre-line' }],
  ['thead', { Tag: 'thead', className: 'bg-sunken/60 text-quiet' }],
  ['tbody', { Tag: 'tbody', className: 'divide-y divide-line' }],
  ['tr', { Tag: 'tr' }],
  ['strong', { Tag: 'strong', className: 'font-semibold' }],
  ['em', { Tag: 'em' }],
  ['s', { Tag: 's' }],
]);

function PartView({ part: { kind, token, parts } }: { part: Part }): ReactNode {
  const content = <Parts parts={parts} />;
  const look = looks.get(kind);
  if (look) {
    return (
      <look.Tag {...(token.block && { dir: 'auto' })} className={look.className}>
        {content}
      </look.Tag>
    );
  }
  switch (kind) {
    case 'ordered_list':
      return (
        <ol dir="auto" start={Number(token.attrGet('start') ?? 1)} className="list-decimal space-y-1 pl-6">
          {content}
        </ol>
      );
    case 'code_inline':
      return <code className="rounded-sm bg-sunken px-1 font-mono text-[0.8125rem]">{token.content}</code>;
    case 'fence':
    case 'code_block':
      return <CodeBlock label="Code" code={token.content.replace(/\n$/, '')} />;
    case 'hr':
      return <hr className="border-line" />;
    case 'softbreak':
    case 'hardbreak':
      return '\n';
    case 'table':
      return (
        <div className="overflow-x-auto rounded-md border border-line" role="region" aria-label="Table" tabIndex={0}>
          <table className="w-full text-left text-[0.8125rem]">{content}</table>
        </div>
      );
    case 'th':
      return (
        <th dir="auto" scope="col" className={classNames('px-3 py-2 font-medium', alignmentOf(token))}>
          {content}
        </th>
      );
    case 'td':
      return (
        <td dir="auto" className={classNames('px-3 py-2 align-top', alignmentOf(token))}>
          {content}
        </td>
      );
    case 'link':
      return <LinkView url={token.attrGet('href')} text={textOf(parts)} />;
    case 'image':
      return <LinkView url={token.attrGet('src')} text={textOf(parts)} />;
    default:
      return token.content;
  }
}

function alignmentOf(token: Part['token']): string | undefined {
  const style = token.attrGet('style');
  return style === 'text-align:right' ? 'text-right' : style === 'text-align:center' ? 'text-center' : undefined;
}

/** A link with its text without marks: an image within it would be a second link. */
function LinkView({ url, text }: { url: unknown; text: string }) {
  const address = webAddress(url);
  if (!address) return text;
  return (
    <>
      <TextAnchor href={address.href} newTab>
        {text || address.href}
      </TextAnchor>
      {!text.includes(address.host) && text !== '' && <span className="text-quiet"> ({address.host})</span>}
    </>
  );
}
