import type { ImportEntry } from '@souk/contract/admin/imports.ts';
import type { ReactNode } from 'react';
import { Badge, type BadgeTone } from '#ui/state/badge.tsx';
import { Card } from '#ui/card.tsx';
import { Checkbox } from '#ui/form/checkbox.tsx';
import { CodeBlock } from '#ui/text/code-block.tsx';
import { LinkButton } from '#ui/link-button.tsx';
import { Notice } from '#ui/state/notice.tsx';
import { ItemsWithCode } from '../text-with-code.tsx';

export type EntryResult = {
  id: string;
  version: string;
  result: 'staged' | 'unchanged' | 'refused';
  message?: string | undefined;
};

const marks: Readonly<Record<ImportEntry['result'], { tone: BadgeTone; text: string }>> = {
  ready: { tone: 'good', text: 'Ready' },
  unchanged: { tone: 'neutral', text: 'Already here' },
  blocked: { tone: 'accent', text: 'Must be allowed first' },
  refused: { tone: 'bad', text: 'Cannot be imported' },
};
const kinds = { http: 'HTTP', websocket: 'WebSocket', stdio: 'STDIO' } as const;

/** One server of a preview: what it will be, or why it can't be imported, and what it needs. */
export function PreviewEntry({
  entry,
  result,
  chosen,
  onChoose,
}: {
  entry: ImportEntry;
  result: EntryResult | undefined;
  chosen: boolean;
  /** undefined if there is nothing to choose. */
  onChoose: ((on: boolean) => void) | undefined;
}) {
  const { name, title = name, version, kind, reason, secrets, allowlist, warning, notes, changes } = entry;
  const head = (
    <span className="wrap-anywhere">
      {title}
      {version !== undefined && <span className="font-normal text-quiet tabular-nums"> {version}</span>}
    </span>
  );
  return (
    <Card as="li" className="flex flex-col gap-3">
      <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2">
        <div className="min-w-0">
          <h4 className="font-semibold">
            {onChoose ? <Checkbox label={head} checked={chosen} onChange={onChoose} /> : head}
          </h4>
          {title !== name && (
            <p dir="auto" className="text-[0.8125rem] wrap-anywhere text-quiet">
              {name}
            </p>
          )}
        </div>
        <div className="flex flex-wrap gap-1">
          {kind && <Badge>{kinds[kind]}</Badge>}
          <ResultBadge entry={entry} result={result} />
        </div>
      </div>
      {reason !== undefined && <p className="wrap-anywhere">{sentence(reason)}</p>}
      {warning !== undefined && <Notice>{warning}</Notice>}
      <AllowLinks entry={entry} />
      {result?.message !== undefined && <p className="wrap-anywhere text-bad">{result.message}</p>}
      <EntryFacts entry={entry} />
      {changes && changes.length > 0 && (
        <Part title="Changes">
          <ItemsWithCode texts={changes} />
        </Part>
      )}
      <Secrets secrets={secrets} />
      {allowlist !== undefined && <CodeBlock label="Entry of the allow-list of programs" code={allowlist} />}
      {notes.length > 0 && (
        <Part title="Notes">
          {notes.map((text) => (
            <li key={text}>{text}</li>
          ))}
        </Part>
      )}
      {result && result.result !== 'refused' && (
        <div className="flex flex-wrap gap-2">
          <LinkButton size="small" to="/admin" search={{ tab: 'manifests', id: result.id }}>
            Open {title}
          </LinkButton>
          {secrets.length > 0 && (
            <LinkButton size="small" to="/admin" search={{ tab: 'manifests', id: result.id, part: 'secrets' }}>
              Enter its secrets
            </LinkButton>
          )}
        </div>
      )}
    </Card>
  );
}

function AllowLinks({ entry: { allowAddress, allowPackage } }: { entry: ImportEntry }) {
  return (
    <>
      {allowAddress !== undefined && (
        <div>
          <LinkButton size="small" to="/admin" search={{ tab: 'allowed', allow: allowAddress }}>
            Allow {allowAddress}
          </LinkButton>
        </div>
      )}
      {allowPackage !== undefined && (
        <div>
          <LinkButton size="small" to="/admin" search={{ tab: 'allowed' }}>
            Open Allow List<span className="sr-only"> for {allowPackage}</span>
          </LinkButton>
        </div>
      )}
    </>
  );
}

function EntryFacts({ entry: { id, kind, target, manifest, price } }: { entry: ImportEntry }) {
  if (id === undefined) return null;
  return (
    <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1 text-[0.8125rem]">
      <Fact name="Id">
        <code className="font-mono">{id}</code>
      </Fact>
      <Fact name={kind === 'stdio' ? 'Starts' : 'Address'}>
        <code className="font-mono">{target}</code>
      </Fact>
      {manifest !== undefined && manifest['description'] === manifest['name'] && (
        <Fact name="Description">Empty: its name is shown until you write one</Fact>
      )}
      <Fact name="Price">{price === 0 ? 'Free' : 'Set by its manifest'}</Fact>
    </dl>
  );
}

function Secrets({ secrets }: Pick<ImportEntry, 'secrets'>) {
  if (secrets.length === 0) return null;
  return (
    <Part title="Secrets: enter them on its page once it is staged, or set the variables">
      {secrets.map(({ name, variable, description }) => (
        <li key={variable}>
          {name}
          {description !== undefined && ` (${description})`}
          <span className="text-quiet">
            {' '}
            as <code className="font-mono text-xs">{variable}</code>
          </span>
        </li>
      ))}
    </Part>
  );
}

function ResultBadge({ entry, result }: { entry: ImportEntry; result: EntryResult | undefined }) {
  if (result?.result === 'staged') return <Badge tone="good">Staged</Badge>;
  if (result?.result === 'refused') return <Badge tone="bad">Not staged</Badge>;
  const { tone, text } = marks[result ? 'unchanged' : entry.result];
  return <Badge tone={tone}>{text}</Badge>;
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-quiet">{name}</dt>
      <dd className="min-w-0 wrap-anywhere">{children}</dd>
    </>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="text-[0.8125rem]">
      <h5 className="font-medium">{title}</h5>
      <ul className="mt-1 list-disc space-y-0.5 pl-4 wrap-anywhere">{children}</ul>
    </div>
  );
}

/** Capitalizes a reason, which is written to follow a name: "travel: it has no command". */
const sentence = (reason: string) => `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`.replace(/\.\.$/, '.');
