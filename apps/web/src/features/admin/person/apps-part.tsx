import type { ConnectedApp, WebSession } from '@souk/contract/connected-apps.ts';
import type { PersonalToken } from '@souk/contract/identity.ts';
import { useQuery } from '@tanstack/react-query';
import { Fragment, useState, type ReactNode } from 'react';
import { Badge } from '#ui/state/badge.tsx';
import { Button } from '#ui/button.tsx';
import { preloadDialog } from '#ui/overlay/dialog.tsx';
import { EachOpening } from '#ui/overlay/each-opening.tsx';
import { Facts } from '#ui/text/facts.tsx';
import { Ago, Day } from '#ui/text/moment.tsx';
import { failedToLoad, NotLoaded } from '../not-loaded.tsx';
import { Part } from '../users/details/part.tsx';
import { EndAccessDialog, type EndedAccess } from './end-access-dialog.tsx';
import { connectionsQuery, type PersonPartProps } from './person-queries.ts';

/** Connected apps, browsers and access tokens of a user, without their values. */
export function AppsPart({
  adminId,
  personId,
  user,
}: PersonPartProps & { user: { id: string; email: string; isActive: boolean } }) {
  const query = useQuery(connectionsQuery(adminId, personId));
  const { data } = query;
  const [asked, setAsked] = useState<EndedAccess>();
  const describe = failedToLoad('apps and tokens');
  if (!data) return <NotLoaded query={query} label="Loading apps and tokens…" describe={describe} />;
  return (
    <div className="flex flex-col gap-6 [&>section:first-child]:border-0 [&>section:first-child]:pt-0">
      <Part title="Connected apps">
        <Rows name="Connected apps" none="No app is connected." rows={data.apps}>
          {(app) => (
            <Row
              key={app.id}
              name={app.clientName}
              note={<AppNote {...app} />}
              action="Disconnect"
              onAction={() => setAsked({ kind: 'app', id: app.id, name: app.clientName })}
            />
          )}
        </Rows>
      </Part>
      <Part title="Browsers">
        <Rows name="Browsers" none="No browser is signed in." rows={data.webSessions}>
          {(session) => (
            <Row
              key={session.id}
              name={browserOf(session)}
              note={<Facts>{usedFacts(session, 'Signed in')}</Facts>}
              action="Sign out"
              onAction={() => setAsked({ kind: 'browser', id: session.id, name: browserOf(session) })}
            />
          )}
        </Rows>
      </Part>
      <Part title="Access tokens">
        <Rows name="Access tokens" none="There are no access tokens." rows={data.tokens}>
          {(token) => (
            <Row
              key={token.id}
              name={token.name}
              note={<TokenNote {...token} />}
              action="Revoke"
              onAction={() => setAsked({ kind: 'token', id: token.id, name: token.name })}
            />
          )}
        </Rows>
      </Part>
      <EachOpening asked={asked}>
        {(one, open) => <EndAccessDialog user={user} ended={one} open={open} onClose={() => setAsked(undefined)} />}
      </EachOpening>
    </div>
  );
}

const browserOf = ({ browserName }: WebSession) => browserName ?? 'Unknown browser';

function Rows<One>({
  name,
  none,
  rows,
  children,
}: {
  name: string;
  none: string;
  rows: readonly One[];
  children: (one: One) => ReactNode;
}) {
  if (rows.length === 0) return <p className="text-quiet">{none}</p>;
  return (
    <ul aria-label={name} className="divide-y divide-line rounded-lg border border-line">
      {rows.map(children)}
    </ul>
  );
}

function Row(row: { name: string; note: ReactNode; action: string; onAction: () => void }) {
  return (
    <li className="flex items-start justify-between gap-4 px-3.5 py-3">
      <div className="min-w-0">
        <span dir="auto" className="font-medium wrap-anywhere">
          {row.name}
        </span>
        <div className="mt-0.5 text-[0.8125rem] wrap-anywhere text-quiet">{row.note}</div>
      </div>
      <Button size="small" onPointerEnter={preloadDialog} onClick={row.onAction}>
        {row.action}
        <span dir="auto" className="sr-only">
          {' '}
          {row.name}
        </span>
      </Button>
    </li>
  );
}

const usedFacts = (of: { createdAt: string; lastUsedAt: string | null }, begun: string): ReactNode[] => [
  <Fragment key="begun">
    {begun} <Day moment={of.createdAt} />
  </Fragment>,
  of.lastUsedAt === null ? (
    'Never used'
  ) : (
    <Fragment key="used">
      Used <Ago moment={of.lastUsedAt} />
    </Fragment>
  ),
];

function AppNote(app: ConnectedApp) {
  return (
    <Facts>
      {app.publishedBy === null ? 'Unverified application' : `Published by ${app.publishedBy}`}
      {`Redirects to ${app.redirectHost}`}
      {usedFacts(app, 'Allowed')}
    </Facts>
  );
}

function TokenNote(token: PersonalToken) {
  return (
    <Facts>
      <code className="font-mono text-xs">{token.prefix}…</code>
      {usedFacts(token, 'Created')}
      <>
        {token.status === 'expired' ? <Badge tone="bad">Expired</Badge> : 'Expires'} <Day moment={token.expiresAt} />
      </>
    </Facts>
  );
}
