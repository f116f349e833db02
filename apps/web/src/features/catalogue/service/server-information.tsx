import type { ServerAnswer } from '@souk/contract/catalogue/catalogue.ts';
import { Suspense } from 'react';
import { formatCount, formatMoment } from '#ui/text/amount.ts';
import { Card } from '#ui/card.tsx';
import { toolFigure } from '#web/texts/tools-that-ask.ts';
import { lazyPart } from '#ui/lazy-part.ts';
import { Fact } from './fact.tsx';
import { RecordFactsPlaceholder } from './record-facts-placeholder.tsx';

const connectionTexts: Record<ServerAnswer['connectionType'], string> = {
  http: 'Streamable HTTP',
  websocket: 'WebSocket',
  stdio: 'Program (stdio)',
};

const RecordFacts = lazyPart(() => import('./record-facts.tsx'), 'RecordFacts');

/** The facts of a server: its status and record, its transport, what it offers, and its origin. */
export function ServerInformation({ server, className }: { server: ServerAnswer; className?: string }) {
  const { status, statusDetail, lastUpdate, capabilities, metadata, connectionType, estimatedTokens, serverId } =
    server;
  const dependsOnAccount = server.requires !== undefined && capabilities.tools === 0;
  return (
    <Card as="section" padding="none" aria-labelledby="server-information" className={className}>
      <h2 id="server-information" className="border-b border-line px-4 py-3 font-semibold">
        Server Information
      </h2>
      <dl className="divide-y divide-line px-4">
        <Fact name="Status" note={status === 'connected' ? statusDetail : undefined}>
          {status}
        </Fact>
        <Suspense fallback={<RecordFactsPlaceholder />}>
          <RecordFacts serverId={serverId} />
        </Suspense>
        <Fact name="Transport">{connectionTexts[connectionType]}</Fact>
        <Fact name="Total Tools">{dependsOnAccount ? 'Depends on your account' : toolFigure(server)}</Fact>
        {!dependsOnAccount && (
          <>
            <Fact name="Context cost">about {formatCount(estimatedTokens)} tokens</Fact>
            {capabilities.prompts > 0 && <Fact name="Prompts">{formatCount(capabilities.prompts)}</Fact>}
            {capabilities.resources > 0 && <Fact name="Resources">{formatCount(capabilities.resources)}</Fact>}
          </>
        )}
        <Fact name="Last Updated">
          <time dateTime={lastUpdate}>{formatMoment(lastUpdate)}</time>
        </Fact>
        <Fact name="Type">{metadata.category}</Fact>
        <Fact name="Author">{metadata.author}</Fact>
        <Fact name="Version">{metadata.version}</Fact>
        <Fact name="Id">
          <code className="font-mono text-[0.8125rem]">{serverId}</code>
        </Fact>
      </dl>
    </Card>
  );
}
