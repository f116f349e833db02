import type { ServerFigures } from '@souk/contract/admin/servers.ts';
import { useQuery } from '@tanstack/react-query';
import { formatCount, formatMoney } from '#ui/text/amount.ts';
import { Card } from '#ui/card.tsx';
import { Ago, DayAndTime } from '#ui/text/moment.tsx';
import { Stat } from '#ui/picture/stat.tsx';
import { UptimeDays } from '#ui/picture/uptime-days.tsx';
import { config, sells } from '#web/config.ts';
import { serverQuery } from '#web/loading/server-query.ts';
import { durationText, shareText } from '../../overview/figure-texts.ts';
import { NotLoaded } from '../../not-loaded.tsx';
import { Section } from '../../section.tsx';
import { Fact } from './fact.tsx';
import { figuresQuery, type ServerPartProps } from '../server-queries.ts';
import { Children } from './children.tsx';
import { SignInIssuer } from './sign-in-issuer.tsx';
import { ServerLog } from './server-log.tsx';

/** Figures of the last 30 days, and the current health of a server. */
export function OverviewPart({ userId, serverId, shown, name }: ServerPartProps & { name: string }) {
  const figures = useQuery(figuresQuery(userId, serverId));
  const { data } = figures;
  const isProgram = shown.listed?.connection.type === 'stdio';
  const isDeployed = shown.listed?.isActive === true;
  const { data: inShop } = useQuery({ ...serverQuery(serverId), enabled: isDeployed });
  const hasSignIn = isDeployed && inShop?.server.requires === 'sign_in';
  if (!data) return <NotLoaded query={figures} label="Loading figures…" />;
  return (
    <div className="flex flex-col gap-8">
      {hasSignIn && <SignInIssuer userId={userId} serverId={serverId} name={name} />}
      <Month figures={data} />
      <Health figures={data} />
      {isProgram && data.now && <Children items={data.now.children} />}
      {isProgram && <ServerLog userId={userId} serverId={serverId} />}
    </div>
  );
}

function Month({ figures: { month, renters } }: { figures: ServerFigures }) {
  const { calls, errors, refused, p50Ms, p95Ms, credits, revenueCents, currency, users } = month;
  return (
    <Section id="server-month" title="Last 30 days">
      <Card as="div" padding="large">
        <dl className="grid grid-cols-2 gap-x-6 gap-y-6 sm:grid-cols-4">
          <Stat
            label="Answered calls"
            value={formatCount(calls)}
            hint={
              refused > 0
                ? `${formatCount(refused)} more ${refused === 1 ? 'was' : 'were'} refused or canceled`
                : undefined
            }
          />
          <Stat
            label="Failed calls"
            value={formatCount(errors)}
            hint={calls + errors > 0 ? `${shareText(errors, calls + errors)} of those that reached it` : undefined}
          />
          <Stat
            label="Answer time"
            value={p50Ms === null ? '–' : durationText(p50Ms)}
            hint={p95Ms === null ? 'No call was answered' : `Median; 95% within ${durationText(p95Ms)}`}
          />
          <Stat label="People who called it" value={formatCount(users)} />
          {sells && <Stat label="Credits charged" value={formatCount(credits)} />}
          {sells && (
            <Stat
              label="Revenue"
              value={formatMoney(revenueCents, currency)}
              hint={`Rentals, after refunds${config.addsTax ? ', without tax' : ''}. A disputed payment counts until its dispute is lost`}
            />
          )}
          {sells && <Stat label="People who rent it" value={formatCount(renters)} hint="Now" />}
        </dl>
      </Card>
    </Section>
  );
}

const eras = { legacy: 'MCP up to 2025-11-25', modern: 'MCP 2026-07-28' } as const;

function Health({ figures: { now, uptime } }: { figures: ServerFigures }) {
  return (
    <Section id="server-health" title="Health">
      <Card as="div" padding="large" className="flex flex-col gap-5">
        {uptime.length > 0 && <UptimeDays days={uptime} />}
        {now ? (
          <dl className="grid gap-x-6 gap-y-4 sm:grid-cols-3">
            <Fact name="Last check">{now.lastCheckAt === null ? 'Not yet' : <Ago moment={now.lastCheckAt} />}</Fact>
            <Fact name="Protocol">{now.era === null ? 'Not known yet' : eras[now.era]}</Fact>
            <Fact name="In this state since">
              {now.since === null ? 'Not known' : <DayAndTime moment={now.since} />}
            </Fact>
          </dl>
        ) : (
          <p className="text-quiet">It is not deployed, so it is not checked.</p>
        )}
      </Card>
    </Section>
  );
}
