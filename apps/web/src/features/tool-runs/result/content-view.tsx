import FileIcon from 'lucide-react/icons/file';
import { Suspense, useState } from 'react';
import { formatCount } from '#ui/text/amount.ts';
import { Button } from '#ui/button.tsx';
import { CodeBlock } from '#ui/text/code-block.tsx';
import { lazyPart } from '#ui/lazy-part.ts';
import { Notice } from '#ui/state/notice.tsx';
import { TextAnchor } from '#ui/text/text-link.tsx';
import type { ContentBlock } from './content-block.ts';
import { webAddress } from './web-address.ts';

const maxTextCharacters = 100_000;
/** Longer texts are shown unformatted. */
const maxMarkdownCharacters = 50_000;

/** Shows the text unformatted if its module cannot be fetched, since a result must not get lost with it. */
const Markdown = lazyPart(() => import('./markdown.tsx').catch(() => ({ Markdown: PlainText })), 'Markdown');

/** One block of a result. A server's content is shown as text, a picture or a sound, never as part of the page. */
export function ContentView({ block, tool }: { block: ContentBlock; tool: string }) {
  switch (block.kind) {
    case 'text':
      return <TextView {...block} />;
    case 'image':
      return <ImageView {...block} tool={tool} />;
    case 'audio':
      return (
        <audio controls aria-label={`Sound from ${tool}`} className="w-full" src={addressOf(block)}>
          Your browser does not play this sound.
        </audio>
      );
    case 'link':
      return <LinkView {...block} />;
    case 'file':
      return (
        <FileRow
          name={block.name || 'File'}
          note={`${block.mimeType || 'Unknown type'}, ${formatCount(block.bytes)} bytes. Not shown here.`}
        />
      );
    case 'unknown':
      return <p className="text-quiet">A part of type “{block.type.slice(0, 100)}”, which is not shown here.</p>;
  }
}

function TextView({ text, format, name }: Extract<ContentBlock, { kind: 'text' }>) {
  const [plain, setPlain] = useState(false);
  const shown = text.slice(0, maxTextCharacters);
  const canFormat = format === 'markdown' && text.length <= maxMarkdownCharacters;
  return (
    <div className="min-w-0 space-y-2">
      {canFormat && !plain ? (
        <div className="rounded-md border border-line p-4">
          <Suspense fallback={<PlainText text={shown} />}>
            <Markdown text={shown} />
          </Suspense>
        </div>
      ) : (
        <CodeBlock label={name || (format === 'json' ? 'JSON' : 'Text')} code={shown} />
      )}
      {canFormat && (
        <Button size="small" variant="ghost" onClick={() => setPlain(!plain)}>
          {plain ? 'Show formatted' : 'Show as plain text'}
        </Button>
      )}
      {text.length > maxTextCharacters && (
        <p className="text-[0.8125rem] text-quiet">
          The first {formatCount(maxTextCharacters)} of {formatCount(text.length)} characters.
        </p>
      )}
    </div>
  );
}

const PlainText = ({ text }: { text: string }) => <CodeBlock label="Text" code={text} />;

function ImageView({ tool, ...block }: Extract<ContentBlock, { kind: 'image' | 'audio' }> & { tool: string }) {
  const [broken, setBroken] = useState(false);
  if (broken) return <Notice>The tool sent a picture that cannot be shown.</Notice>;
  return (
    <img
      src={addressOf(block)}
      alt={`Picture from ${tool}`}
      onError={() => setBroken(true)}
      className="max-h-120 max-w-full rounded-md border border-line object-contain"
    />
  );
}

function LinkView({ uri, name, description }: Extract<ContentBlock, { kind: 'link' }>) {
  const address = webAddress(uri);
  return (
    <FileRow
      name={name.slice(0, 300)}
      note={
        <>
          {address ? (
            <TextAnchor href={address.href} newTab>
              {uri.slice(0, 300)}
            </TextAnchor>
          ) : (
            <code className="font-mono">{uri.slice(0, 300)}</code>
          )}
          {description && <span className="mt-0.5 block">{description.slice(0, 1000)}</span>}
        </>
      }
    />
  );
}

function FileRow({ name, note }: { name: string; note: React.ReactNode }) {
  return (
    <div className="flex items-start gap-2.5 rounded-md border border-line px-3 py-2.5">
      <FileIcon aria-hidden size={16} className="mt-0.5 shrink-0 text-quiet" />
      <div className="min-w-0 wrap-anywhere">
        <p dir="auto" className="font-medium">
          {name}
        </p>
        <div className="text-[0.8125rem] text-quiet">{note}</div>
      </div>
    </div>
  );
}

const addressOf = ({ mimeType, data }: { mimeType: string; data: string }) => `data:${mimeType};base64,${data}`;
