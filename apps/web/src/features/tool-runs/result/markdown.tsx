import type { ReactNode } from 'react';
import { CodeBlock } from '#ui/text/code-block.tsx';
import { TextAnchor } from '#ui/text/text-link.tsx';
import { parseMarkdown, type Block, type Inline } from './parse-markdown.ts';
import { webAddress } from './web-address.ts';

/** Blocks shown; further ones are left out. */
const maxBlocks = 400;

/** Renders a server's Markdown. Links open in a new tab and show their host; nothing is loaded. */
export function Markdown({ text }: { text: string }) {
  const blocks = parseMarkdown(text);
  return (
    <div className="min-w-0 space-y-3 wrap-anywhere">
      {blocks.slice(0, maxBlocks).map((block, index) => (
        // keyed by place, since the text of a result never changes
        <BlockOf key={index} block={block} />
      ))}
      {blocks.length > maxBlocks && <p className="text-quiet">The rest is left out here.</p>}
    </div>
  );
}

function BlockOf({ block }: { block: Block }): ReactNode {
  switch (block.kind) {
    case 'heading':
      return (
        // not a heading, which would break the order of the page's headings
        <p dir="auto" className="font-semibold">
          <Inlines content={block.content} />
        </p>
      );
    case 'paragraph':
      return (
        <p dir="auto" className="whitespace-pre-line">
          <Inlines content={block.content} />
        </p>
      );
    case 'quote':
      return (
        <blockquote dir="auto" className="border-l-2 border-line pl-3 text-quiet">
          <Inlines content={block.content} />
        </blockquote>
      );
    case 'list': {
      const items = block.items.map((item, index) => (
        <li dir="auto" key={index}>
          <Inlines content={item} />
        </li>
      ));
      return block.ordered ? (
        <ol className="list-decimal space-y-1 pl-6">{items}</ol>
      ) : (
        <ul className="list-disc space-y-1 pl-6">{items}</ul>
      );
    }
    case 'code':
      return <CodeBlock label="Code" code={block.text} />;
    case 'rule':
      return <hr className="border-line" />;
    case 'table':
      return <TableOf {...block} />;
  }
}

function TableOf({ head, rows }: Extract<Block, { kind: 'table' }>) {
  return (
    <div className="overflow-x-auto rounded-md border border-line" role="region" aria-label="Table" tabIndex={0}>
      <table className="w-full text-left text-[0.8125rem]">
        <thead className="bg-sunken/60 text-quiet">
          <tr>
            {head.map((cell, index) => (
              <th dir="auto" key={index} scope="col" className="px-3 py-2 font-medium">
                <Inlines content={cell} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="divide-y divide-line">
          {rows.slice(0, maxBlocks).map((row, index) => (
            <tr key={index}>
              {row.slice(0, head.length).map((cell, column) => (
                <td dir="auto" key={column} className="px-3 py-2 align-top">
                  <Inlines content={cell} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Inlines({ content }: { content: readonly Inline[] }): ReactNode {
  return content.map((inline, index) => <InlineOf key={index} inline={inline} />);
}

function InlineOf({ inline }: { inline: Inline }): ReactNode {
  switch (inline.kind) {
    case 'text':
      return inline.text;
    case 'strong':
      return <strong className="font-semibold">{inline.text}</strong>;
    case 'em':
      return <em>{inline.text}</em>;
    case 'code':
      return <code className="rounded-sm bg-sunken px-1 font-mono text-[0.8125rem]">{inline.text}</code>;
    case 'link': {
      const address = webAddress(inline.url);
      if (!address) return inline.text;
      const saysHost = inline.text.includes(address.host);
      return (
        <>
          <TextAnchor href={address.href} newTab>
            {inline.text}
          </TextAnchor>
          {!saysHost && <span className="text-quiet"> ({address.host})</span>}
        </>
      );
    }
  }
}
