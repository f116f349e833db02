import type { System } from '@souk/contract/admin/system.ts';
import type { ReactNode } from 'react';
import { formatCount, formatMoment } from '#ui/text/amount.ts';
import { Ago } from '#ui/text/moment.tsx';
import { config } from '#web/config.ts';
import { Section } from '../section.tsx';

const gigabyte = 1024 ** 3;
const megabyte = 1024 ** 2;
const sizeOf = (bytes: number): string =>
  bytes >= gigabyte ? `${(bytes / gigabyte).toFixed(1)} GB` : `${formatCount(Math.round(bytes / megabyte))} MB`;

const paymentNames = { stripe: 'Stripe', sandbox: 'Demo, no money moves', off: 'Off' } as const;

const deliveries = { mail: 'By your mail server', demo: 'On the page /dev-mail', off: 'Off: set SMTP_URL' } as const;

export function Facts({ system }: { system: System }) {
  const { database, payments, ledger, disk, backup, notices } = system;
  const { webhook } = payments;
  const { applied, waiting } = database.migrations;
  return (
    <Section id="system-facts" title="Installation">
      <div className="grid gap-4 sm:grid-cols-2">
        <Group title={config.brandName}>
          <Fact name="Version">{system.version}</Fact>
          <Fact name="Node.js">{system.node}</Fact>
          <Fact name="Started">
            <Ago moment={system.startedAt} />
          </Fact>
          <Fact name="Address">{system.publicUrl}</Fact>
          <Fact name="Free disk space">{disk.freeBytes === null ? 'Not known' : sizeOf(disk.freeBytes)}</Fact>
        </Group>
        <Group title="Database">
          <Fact name="Kind">{database.kind === 'embedded' ? 'Embedded (PGlite)' : 'PostgreSQL'}</Fact>
          <Fact name="Version">{database.version}</Fact>
          <Fact name="Size">{sizeOf(database.sizeBytes)}</Fact>
          <Fact name="Migrations">
            {formatCount(applied)} applied, {waiting.length === 0 ? 'none' : formatCount(waiting.length)} waiting
          </Fact>
        </Group>
        <Group title="Payments">
          <Fact name="Provider">{paymentNames[payments.kind]}</Fact>
          {webhook && (
            <>
              <Fact name="Webhook">{webhook.address}</Fact>
              <Fact name="Last event">
                {webhook.lastEventAt === null ? 'None yet' : <Ago moment={webhook.lastEventAt} />}
              </Fact>
              <Fact name="Handled within">
                {webhook.lastDelayMs === null ? 'Not known' : `${(webhook.lastDelayMs / 1000).toFixed(1)} s`}
              </Fact>
              <Fact name="Events waiting">{waitingText(webhook)}</Fact>
            </>
          )}
        </Group>
        <Group title="Ledger">
          <Fact name="Differences">
            {ledger.differences === null ? 'Not checked yet' : formatCount(ledger.differences)}
          </Fact>
          <Fact name="Last check">
            {ledger.checkedAt === null ? (
              'Never'
            ) : (
              <span title={formatMoment(ledger.checkedAt)}>
                <Ago moment={ledger.checkedAt} />
              </span>
            )}
          </Fact>
        </Group>
        <Group title="E-mails">
          <Fact name="Sent">{deliveries[notices.delivery]}</Fact>
          <Fact name="Alerts">{notices.hasAlertWebhook ? 'To your webhook' : 'To administrators by e-mail'}</Fact>
          <Fact name="Waiting">{waitingText(notices)}</Fact>
          <Fact name="Given up in 7 days">{notices.givenUp === 0 ? 'None' : formatCount(notices.givenUp)}</Fact>
          {notices.lastError !== null && <Fact name="Last error">{notices.lastError}</Fact>}
        </Group>
        <Group title="Backups">
          {backup === null ? <Fact name="Automatic">Off: set BACKUP_DIR</Fact> : <Backups backup={backup} />}
        </Group>
      </div>
    </Section>
  );
}

const waitingText = ({ waiting, failing }: { waiting: number; failing: number }) =>
  waiting === 0 ? 'None' : `${formatCount(waiting)}, ${formatCount(failing)} of them failed`;

function Backups({ backup: { folder, last, nextAt, failure } }: { backup: NonNullable<System['backup']> }) {
  return (
    <>
      <Fact name="Folder">{folder}</Fact>
      <Fact name="Last backup">{last === null ? 'None yet' : <Ago moment={last.at} />}</Fact>
      {last && <Fact name="Size">{sizeOf(last.bytes)}</Fact>}
      <Fact name="Next backup">{nextAt === null ? 'Not planned' : <Ago moment={nextAt} />}</Fact>
      {failure && (
        <Fact name="Last failure">
          <Ago moment={failure.at} />: {failure.message}
        </Fact>
      )}
    </>
  );
}

function Group({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="min-w-0 rounded-lg border border-line bg-surface p-4">
      <h3 className="mb-2 font-medium">{title}</h3>
      <dl className="flex flex-col gap-1">{children}</dl>
    </div>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="flex justify-between gap-4">
      <dt className="shrink-0 text-quiet">{name}</dt>
      <dd className="min-w-0 text-right wrap-anywhere tabular-nums">{children}</dd>
    </div>
  );
}
