import type { NeededSecret, UnusedSecret } from '@souk/contract/admin/secrets.ts';
import type { ReactNode } from 'react';
import { Badge, type BadgeTone } from '#ui/state/badge.tsx';
import { Button } from '#ui/button.tsx';
import { Ago } from '#ui/text/moment.tsx';
import { listed } from '#web/texts/listed.ts';
import { Code } from '../../code.tsx';
import { EntryRow, RemoveButton } from '../../entry-row.tsx';
import { PlaceText } from './place-text.tsx';
import { commandLine } from '../../command-line.ts';

const badges: Readonly<Record<NeededSecret['state'], { tone: BadgeTone; text: string }>> = {
  set: { tone: 'good', text: 'Set' },
  environment: { tone: 'neutral', text: 'Set by the operator' },
  missing: { tone: 'bad', text: 'Missing' },
  unreadable: { tone: 'bad', text: 'Can’t be read' },
};

export function NeededSecretRow({
  serverId,
  secret,
  onSet,
  onRemove,
}: {
  serverId: string;
  secret: NeededSecret;
  onSet: () => void;
  onRemove: () => void;
}) {
  const { name, state, entered, versions } = secret;
  const badge = badges[state];
  return (
    <Row
      secret={secret}
      badge={<Badge tone={badge.tone}>{badge.text}</Badge>}
      buttons={
        <>
          {entered && <RemoveButton name={name} onClick={onRemove} />}
          {state !== 'environment' && (
            <Button
              size="small"
              variant={entered ? 'secondary' : 'primary'}
              aria-label={`${entered ? 'Replace' : 'Enter value of'} ${name}`}
              onClick={onSet}
            >
              {entered ? 'Replace' : 'Enter value'}
            </Button>
          )}
        </>
      }
    >
      <p>
        Needed by version {listed(versions)}. <WhereFrom secret={secret} serverId={serverId} />
      </p>
    </Row>
  );
}

function WhereFrom({ secret, serverId }: { secret: NeededSecret; serverId: string }) {
  const { state, entered, variable, boundTo } = secret;
  if (state === 'environment') {
    return (
      <>
        The value comes from <Code>{variable ?? ''}</Code>
        {entered ? ', and the one entered here isn’t used.' : ', so it can’t be entered here.'}
        {secret.kind === 'header' && ' Another address doesn’t get it.'}
      </>
    );
  }
  if (entered) {
    return (
      <>
        {state === 'unreadable' && 'It was encrypted with another master key: enter it again. '}
        <Entered entered={entered} />
      </>
    );
  }
  if (boundTo !== null) {
    return (
      <>
        <Code>{variable ?? ''}</Code> is sent only to <Code>{boundTo}</Code>. Enter the value for this address here, or
        ask the operator to run <Code>{`npm run souk -- secret bind ${serverId}`}</Code>.
      </>
    );
  }
  if (variable === null) return 'The server doesn’t work until it’s entered here.';
  return (
    <>
      The server doesn’t work until it’s entered here, or set as <Code>{variable}</Code>.
    </>
  );
}

/** A secret for a place that no manifest names any more. */
export function UnusedSecretRow({ secret, onRemove }: { secret: UnusedSecret; onRemove: () => void }) {
  return (
    <Row secret={secret} buttons={<RemoveButton name={secret.name} onClick={onRemove} />}>
      <p>
        <Entered entered={secret.entered} />
      </p>
    </Row>
  );
}

function Row({
  secret: { kind, name, place },
  badge,
  buttons,
  children,
}: {
  secret: Pick<NeededSecret, 'kind' | 'name' | 'place'>;
  badge?: ReactNode;
  buttons: ReactNode;
  children: ReactNode;
}) {
  const marks = (
    <>
      <span className="text-[0.8125rem] font-normal text-quiet">{kind === 'header' ? 'Header' : 'Variable'}</span>
      {badge}
    </>
  );
  return (
    <EntryRow name={name} marks={marks} buttons={buttons}>
      {children}
      <p>
        <PlaceText kind={kind} place={place} />
      </p>
    </EntryRow>
  );
}

function Entered({ entered: { at, by } }: { entered: UnusedSecret['entered'] }) {
  return (
    <>
      Entered <Ago moment={at} /> by <span className="wrap-anywhere">{by ?? commandLine}</span>.
    </>
  );
}
