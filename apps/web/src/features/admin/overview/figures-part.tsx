import { utcDayText } from '@souk/contract/utc-day.ts';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { counted, formatCount, formatMoney } from '#ui/text/amount.ts';
import { Card } from '#ui/card.tsx';
import { DayBars } from '#ui/picture/day-bars.tsx';
import { Notice } from '#ui/state/notice.tsx';
import { sells } from '#web/config.ts';
import { failureText } from '#web/texts/failure-text.ts';
import { NotLoaded } from '../not-loaded.tsx';
import { Section } from '../section.tsx';
import { changeText, shareText } from './figure-texts.ts';
import { DayTable } from './day-table.tsx';
import { figuresQuery, type Figures } from './overview-queries.ts';
import { ServerLists } from './server-lists.tsx';

/** Figures of the last 30 days, compared with the 30 days before. */
export function FiguresPart({ userId }: { userId: string }) {
  const query = useQuery(figuresQuery(userId));
  const { data, error } = query;
  return (
    <Section
      id="figures-heading"
      title="Last 30 days"
      text={`Compared with the 30 days before. Days are in UTC.${data && sells && !data.livemode ? ' These are demo payments.' : ''}`}
    >
      {data && error && (
        <Notice tone="bad">These figures couldn't be refreshed and may be outdated. {failureText(error)}</Notice>
      )}
      {!data && <NotLoaded query={query} label="Loading figures…" rows={6} />}
      {data && (
        <div className="flex flex-col gap-8">
          <div className="grid gap-4 sm:grid-cols-2 lg:grid-cols-3">
            {sells && <Revenue figures={data} />}
            {sells && <PaidFor figures={data} />}
            {sells && <Credits figures={data} />}
            <Calls figures={data} />
            <Errors figures={data} />
            <People figures={data} />
          </div>
          <DayTable figures={data} />
          <ServerLists figures={data} />
        </div>
      )}
    </Section>
  );
}

type FigureProps = { title: string; value: ReactNode; change: string };

function Figure({ children, ...figure }: FigureProps & { children?: ReactNode }) {
  return (
    <Card as="div" className="flex flex-col">
      <Headline {...figure} />
      {children}
    </Card>
  );
}

function Headline({ title, value, change }: FigureProps) {
  return (
    <>
      <h3 className="text-[0.8125rem] text-quiet">{title}</h3>
      <p className="mt-0.5 text-xl/7 font-semibold tracking-tight tabular-nums">{value}</p>
      <p className="text-xs text-faint tabular-nums">{change}</p>
    </>
  );
}

/** A bar for each day, at the bottom of the card, so that the charts of a row are aligned. */
function Days({
  days,
  value,
  text,
}: {
  days: Figures['days'];
  value: (day: Figures['days'][number], index: number) => number;
  text: (value: number) => string;
}) {
  const bars = days.map((day, index) => ({
    key: day.date,
    value: value(day, index),
    text: `${utcDayText(day.date)}: ${text(value(day, index))}`,
  }));
  return <DayBars className="mt-auto h-12 pt-4 box-content" bars={bars} />;
}

function Revenue({ figures: { revenue, days } }: { figures: Figures }) {
  const [first, ...others] = revenue.toSorted((a, b) => b.now - a.now);
  if (!first) return <Figure title="Revenue" value="–" change="Nothing was paid in 60 days" />;
  const format = (amount: number) => formatMoney(amount, first.currency);
  return (
    <Figure title="Revenue, after refunds" value={format(first.now)} change={changeText(first, format)}>
      {revenue.map(({ currency, tax }) => (
        <TaxLine key={currency} currency={currency} tax={tax} />
      ))}
      {others.map((other) => (
        <p key={other.currency} className="mt-1 text-[0.8125rem] tabular-nums">
          {formatMoney(other.now, other.currency)}{' '}
          <span className="text-faint">{changeText(other, (amount) => formatMoney(amount, other.currency))}</span>
        </p>
      ))}
      <p className="mt-1 text-[0.8125rem] text-pretty text-quiet">
        A disputed payment counts until its dispute is lost.
      </p>
      <Days days={days} value={(_day, index) => first.byDay[index] ?? 0} text={format} />
    </Figure>
  );
}

/** The tax that was paid in addition to the revenue. Renders nothing if there was none. */
function TaxLine({ currency, tax }: Pick<Figures['revenue'][number], 'currency' | 'tax'>) {
  if (tax.now === 0 && tax.before === 0) return null;
  const format = (amount: number) => formatMoney(amount, currency);
  return (
    <p className="mt-1 text-[0.8125rem] text-quiet tabular-nums">
      Excludes tax. {format(tax.now)} of tax was collected{' '}
      <span className="text-faint">({changeText(tax, format)})</span>
    </p>
  );
}

function PaidFor({ figures: { plans, rentals } }: { figures: Figures }) {
  const paid = { 'Plans that people pay for': plans, 'Rentals that people pay for': rentals };
  return (
    <Card as="div" className="flex flex-col gap-4">
      {Object.entries(paid).map(([title, { active, began, ended }]) => (
        <div key={title}>
          <Headline title={title} value={formatCount(active.now)} change={changeText(active)} />
          <p className="mt-1 text-[0.8125rem] tabular-nums">
            {formatCount(began.now)} new <span className="text-faint">({formatCount(began.before)} before)</span>,{' '}
            {formatCount(ended.now)} lost <span className="text-faint">({formatCount(ended.before)} before)</span>
          </p>
        </div>
      ))}
      <p className="mt-auto text-[0.8125rem] text-pretty text-quiet">
        Canceled ones count until their paid period ends. Grants by administrators don't count.
      </p>
    </Card>
  );
}

function Credits({ figures: { credits } }: { figures: Figures }) {
  const { owed, given, sold, used } = credits;
  return (
    <Card as="div" className="flex flex-col gap-4">
      <div>
        <Headline title="Credits you owe" value={formatCount(owed.now)} change={changeText(owed)} />
        <p className="mt-1 text-[0.8125rem] text-pretty text-quiet">
          People paid for these credits and have not used them: a liability.
          {given.now > 0 && ` ${formatCount(given.now)} more were given to people.`}
        </p>
      </div>
      <dl className="mt-auto grid grid-cols-2 gap-x-4">
        {Object.entries({ 'Credits paid for': sold, 'Credits used': used }).map(([name, figure]) => (
          <div key={name}>
            <dt className="text-[0.8125rem] text-quiet">{name}</dt>
            <dd className="font-semibold tabular-nums">{formatCount(figure.now)}</dd>
            <dd className="text-xs text-faint tabular-nums">{changeText(figure)}</dd>
          </div>
        ))}
      </dl>
      <p className="text-[0.8125rem] text-pretty text-quiet">Paid for in packages and with plans, after refunds.</p>
    </Card>
  );
}

function Calls({ figures: { calls, days } }: { figures: Figures }) {
  return (
    <Figure title="Tool calls" value={formatCount(calls.now)} change={changeText(calls)}>
      <Days days={days} value={(day) => day.calls} text={(count) => `${formatCount(count)} calls`} />
    </Figure>
  );
}

function Errors({ figures: { calls, errors, days } }: { figures: Figures }) {
  const before = calls.before + errors.before;
  return (
    <Figure
      title="Failed calls"
      value={shareText(errors.now, calls.now + errors.now)}
      change={`${counted(errors.now, 'call')}. ${before === 0 ? 'None before' : `${shareText(errors.before, before)} before`}`}
    >
      <Days days={days} value={(day) => day.errors} text={(count) => `${formatCount(count)} failed calls`} />
    </Figure>
  );
}

function People({ figures: { people, days } }: { figures: Figures }) {
  return (
    <Figure title="People who used services" value={formatCount(people.now)} change={changeText(people)}>
      <Days days={days} value={(day) => day.people ?? 0} text={(count) => counted(count, 'person', 'people')} />
    </Figure>
  );
}
