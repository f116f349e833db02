import type { ServerAnswer } from '@souk/contract/catalogue.ts';
import type { ReactNode } from 'react';
import { formatCount, formatMoment } from '#ui/amount.ts';
import { Card } from '#ui/card.tsx';
import { StatusBadge } from '#ui/status-badge.tsx';
import { TierBadge } from '#ui/tier-badge.tsx';
import { rentalPrice } from '#web/access-text.ts';
import { sells } from '#web/config.ts';
import { counted } from './server-texts.ts';

const connectionTexts: Record<ServerAnswer['connectionType'], string> = {
  http: 'Streamable HTTP',
  websocket: 'WebSocket',
  stdio: 'Program (stdio)',
};

/** The facts of one server. */
export function ServerInformation({ server }: { server: ServerAnswer }) {
  const { status, statusDetail, lastUpdate, capabilities, metadata, billing, connectionType, serverId } = server;
  const price = rentalPrice(server, sells);
  const dependsOnAccount = server.requires !== undefined && capabilities.tools === 0;
  return (
    <Card as="section" padding="none" aria-labelledby="server-information">
      <h2 id="server-information" className="border-b border-line px-4 py-3 font-semibold">
        Server Information
      </h2>
      <dl className="divide-y divide-line px-4">
        <Fact name="Status" note={status === 'connected' ? statusDetail : undefined}>
          <StatusBadge status={status} />
        </Fact>
        <Fact name="Last Updated">
          <time dateTime={lastUpdate}>{formatMoment(lastUpdate)}</time>
        </Fact>
        <Fact name="Total Tools">{dependsOnAccount ? 'Depends on your account' : formatCount(capabilities.tools)}</Fact>
        {!dependsOnAccount && (
          <>
            <Fact name="Prompts">{formatCount(capabilities.prompts)}</Fact>
            <Fact name="Resources">{formatCount(capabilities.resources)}</Fact>
          </>
        )}
        {billing && (
          <Fact name="Tier">
            <TierBadge tier={billing.tier} />
          </Fact>
        )}
        {price !== undefined && <Fact name="Rental">{price}</Fact>}
        {price !== undefined && billing?.trialDays !== undefined && (
          <Fact name="Trial">{counted(billing.trialDays, 'day')}</Fact>
        )}
        <Fact name="Type">{metadata.category}</Fact>
        <Fact name="Author">{metadata.author}</Fact>
        <Fact name="Version">{metadata.version}</Fact>
        <Fact name="Transport">{connectionTexts[connectionType]}</Fact>
        <Fact name="Id">
          <code className="font-mono text-[0.8125rem]">{serverId}</code>
        </Fact>
      </dl>
    </Card>
  );
}

/** `note`: sentences about it, which take the whole width. */
function Fact({ name, note, children }: { name: string; note?: string | undefined; children: ReactNode }) {
  return (
    <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-1.5 py-2.5">
      <dt className="shrink-0 text-quiet">{name}</dt>
      <dd className="min-w-0 text-right wrap-anywhere tabular-nums">{children}</dd>
      {note !== undefined && <dd className="w-full text-[0.8125rem] text-pretty wrap-anywhere text-quiet">{note}</dd>}
    </div>
  );
}
