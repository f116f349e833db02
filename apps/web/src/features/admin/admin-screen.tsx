import type { ReactNode } from 'react';
import { formatCount } from '#ui/text/amount.ts';
import { classNames } from '#ui/class-names.ts';
import { ScreenHeading } from '#ui/text/screen-heading.tsx';
import { ScreenTitle } from '#ui/text/screen-title.tsx';
import { Tabs } from '#ui/tabs.tsx';
import { adminTabLabels, adminTabs, personPartOf, type AdminSearch, type AdminTab } from './admin-search.ts';
import type { SignInAgain } from './sign-in-again.tsx';

export type AdminPartProps = {
  userId: string;
  search: AdminSearch;
  /** @param how push: adds a history entry, as for an opened page; replace: adds none, as for a typed filter */
  onSearchChange: (search: AdminSearch, how: 'push' | 'replace') => void;
  signInAgain: SignInAgain;
};

/** The tabs of the area (spec part 2, section 2). */
export function AdminScreen({
  userId,
  search,
  onSearchChange,
  signInAgain,
  waiting,
  tabs,
}: AdminPartProps & {
  /** Open decisions of each tab: the number on its label, and the tooltip. */
  waiting: Partial<Record<AdminTab, { count: number; text: string }>>;
  tabs: Readonly<Record<AdminTab, (props: AdminPartProps) => ReactNode>>;
}) {
  const chosen = search.tab ?? adminTabs[0];
  // the pages of a server, a user, an offer and the import have their own titles and tabs
  const hasOwnHead =
    search.id !== undefined ||
    search.import !== undefined ||
    search.offer !== undefined ||
    personPartOf(search) !== undefined;
  const props = { userId, search, onSearchChange, signInAgain };
  return (
    <>
      {!hasOwnHead && <ScreenTitle title={`${adminTabLabels[chosen]} - Administration`} />}
      {/* on a phone, one small line is enough above the page's own heading */}
      <div className={classNames(hasOwnHead && 'max-sm:-mb-5')}>
        <ScreenHeading
          title={
            <span className={classNames(hasOwnHead && 'max-sm:text-sm max-sm:font-medium max-sm:text-quiet')}>
              Administration
            </span>
          }
        />
      </div>
      <Tabs
        label="Administration"
        hideOnPhone={hasOwnHead}
        value={chosen}
        // the next tab starts without this tab's filters
        onChange={(tab) => onSearchChange({ tab }, 'push')}
        items={adminTabs.map((value) => ({
          value,
          label: <TabLabel text={adminTabLabels[value]} waiting={waiting[value]} />,
          content: value === chosen && tabs[value](props),
        }))}
      />
    </>
  );
}

function TabLabel({ text, waiting }: { text: string; waiting: { count: number; text: string } | undefined }) {
  if (!waiting || waiting.count === 0) return text;
  return (
    <>
      {text}{' '}
      <span
        title={waiting.text}
        // relative: the screen reader text stays in the row of tabs and doesn't widen the page
        className="relative ml-1 rounded-full bg-accent-soft px-1.5 py-0.5 text-xs text-accent tabular-nums"
      >
        {formatCount(waiting.count)}
        <span className="sr-only"> waiting</span>
      </span>
    </>
  );
}
