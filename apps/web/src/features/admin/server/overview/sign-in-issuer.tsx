import type { ServerSignIn } from '@souk/contract/admin/servers.ts';
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { Badge } from '#ui/state/badge.tsx';
import { Button } from '#ui/button.tsx';
import { Card } from '#ui/card.tsx';
import { Ago } from '#ui/text/moment.tsx';
import { Notice } from '#ui/state/notice.tsx';
import { NotLoaded } from '../../not-loaded.tsx';
import { Section } from '../../section.tsx';
import { signInQuery } from '../server-queries.ts';
import { Fact } from './fact.tsx';
import { ConfirmIssuer } from './confirm-issuer.tsx';
import { RegisterAgain } from './register-again.tsx';

const badges = {
  open: { tone: 'neutral', text: 'Chosen by the server' },
  waiting: { tone: 'accent', text: 'Waiting for you' },
  confirmed: { tone: 'good', text: 'Confirmed' },
  refused: { tone: 'bad', text: 'Refused' },
} as const;

/** The authorization server of a server, and whether an administrator has confirmed it. */
export function SignInIssuer({ userId, serverId, name }: { userId: string; serverId: string; name: string }) {
  const query = useQuery(signInQuery(userId, serverId));
  const [isAsked, setIsAsked] = useState(false);
  const signIn = query.data?.signIn;
  const badge = signIn && badges[signIn.state];
  return (
    <Section
      id="server-sign-in"
      title="Where people sign in"
      actions={badge && <Badge tone={badge.tone}>{badge.text}</Badge>}
    >
      {!signIn && <NotLoaded query={query} label="Asking the server where people sign in…" />}
      {signIn && (
        <Card as="div" padding="large" className="flex flex-col gap-5">
          <Decision name={name} signIn={signIn} onConfirm={() => setIsAsked(true)} />
          <Places userId={userId} serverId={serverId} signIn={signIn} />
        </Card>
      )}
      {signIn?.named && (
        <ConfirmIssuer
          userId={userId}
          serverId={serverId}
          name={name}
          named={signIn.named}
          isOperators={signIn.clientId !== null}
          doubts={signIn.doubts}
          isChange={signIn.state === 'refused'}
          open={isAsked}
          onClose={() => setIsAsked(false)}
        />
      )}
    </Section>
  );
}

function Decision({ name, signIn, onConfirm }: { name: string; signIn: ServerSignIn; onConfirm: () => void }) {
  const { state, known, named, variable, clientId } = signIn;
  if (state === 'waiting') {
    return (
      <Notice>
        <Beside
          button={
            named && (
              <Button variant="primary" size="small" onClick={onConfirm}>
                Confirm
              </Button>
            )
          }
        >
          {clientId === null
            ? `No one can sign in until you confirm where ${name} sends people.`
            : `No one can sign in yet. We won’t send your client to any authorization server until you confirm the one that ${name} names${named ? '.' : ', and it names none now.'}`}
        </Beside>
      </Notice>
    );
  }
  if (state !== 'refused') return null;
  const by = known?.by ?? 'administrator';
  const than = { environment: `${variable} names`, manifest: 'its manifest names', administrator: 'you confirmed' }[by];
  return (
    <Notice tone="bad">
      <Beside
        button={
          by === 'administrator' && (
            <Button size="small" onClick={onConfirm}>
              Confirm the new one
            </Button>
          )
        }
      >
        {name} now sends people to another authorization server than {than}. No one can sign in, and{' '}
        {clientId === null ? 'nothing was sent there.' : 'your client was not sent there.'}
      </Beside>
    </Notice>
  );
}

/** A text with a button beside it, or below it on narrow screens. */
function Beside({ button, children }: { button: ReactNode; children: ReactNode }) {
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
      <p className="min-w-0 flex-1 basis-56">{children}</p>
      {button}
    </div>
  );
}

const decidedBy = {
  environment: { name: 'Set by the operator', text: 'By the operator, in the environment' },
  manifest: { name: 'Named by the manifest', text: 'By the manifest' },
  administrator: { name: 'Confirmed', text: 'By an administrator' },
} as const;

type PlacesProps = { userId: string; serverId: string; signIn: ServerSignIn };

function Places({ userId, serverId, signIn }: PlacesProps) {
  const { state, clientId, registeredAt, known, named, problem } = signIn;
  const isSame = state === 'confirmed' && named !== null;
  return (
    <dl className="grid gap-x-6 gap-y-4 sm:grid-cols-2">
      <Fact name="Client">
        {clientId !== null && <Address>{clientId}</Address>}
        {clientId === null && 'Registered automatically, for this server only'}
        {clientId === null && registeredAt !== null && (
          <RegisterAgain userId={userId} serverId={serverId} registeredAt={registeredAt} />
        )}
      </Fact>
      {known && !isSame && (
        <Fact name={decidedBy[known.by].name}>
          <Address>{known.issuer}</Address>
        </Fact>
      )}
      <Fact name={isSame ? 'Authorization server' : 'The server names'}>
        {named ? <Address>{named.issuer}</Address> : `Nothing: ${problem ?? 'it does not say'}`}
      </Fact>
      {named && (
        <>
          <Fact name="People sign in at">
            <Address>{named.authorizationEndpoint}</Address>
          </Fact>
          <Fact name="Codes are redeemed at">
            <Address>{named.tokenEndpoint}</Address>
          </Fact>
        </>
      )}
      {isSame && known && (
        <Fact name="Confirmed">
          {known.confirmedAt ? <Ago moment={known.confirmedAt} /> : decidedBy[known.by].text}
        </Fact>
      )}
    </dl>
  );
}

function Address({ children }: { children: string }) {
  return <code className="font-mono text-[0.8125rem] wrap-anywhere">{children}</code>;
}
