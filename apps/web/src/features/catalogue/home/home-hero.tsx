import type { ServerAnswer } from '@souk/contract/catalogue/catalogue.ts';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { CopyField } from '#ui/text/copy-field.tsx';
import { AnchorButton, LinkButton } from '#ui/link-button.tsx';
import { Icon } from '#ui/picture/icon.tsx';
import { Skeleton } from '#ui/state/skeleton.tsx';
import { StatusBadge } from '#ui/state/status-badge.tsx';
import { counted } from '#ui/text/amount.ts';

type HeroProps = {
  link: string;
  clients: readonly string[];
  /** The first servers, and how many are deployed. Undefined while they load. */
  found: { servers: readonly ServerAnswer[]; deployed: number } | undefined;
  failed: boolean;
};

export type HomeHeroProps = HeroProps & {
  offer?: ReactNode;
};

const shownServers = 4;

/** The top of home: what the product is, and the link with the live services behind it. */
export function HomeHero({ offer, ...props }: HomeHeroProps) {
  return (
    <section className="grid items-center gap-10 pb-14 sm:pt-6 lg:grid-cols-[minmax(0,1fr)_minmax(0,30rem)] lg:gap-16 lg:pb-20">
      <div className="min-w-0">
        <h1 className="text-4xl/11 font-semibold tracking-tighter sm:text-6xl/16">One-click AI upgrade</h1>
        <p className="mt-5 max-w-md text-base/7 text-quiet sm:text-lg/8">
          Paste one link into Claude, ChatGPT or any other AI client, and every tool here is ready to use.
        </p>
        <p className="mt-3 text-base/7 font-medium sm:text-lg/8">No API keys, no secrets, no configuration.</p>
        {offer}
        <div className="mt-8 flex flex-wrap gap-3">
          <LinkButton to="/marketplace" variant="primary" size="large">
            Browse Servers
          </LinkButton>
          <AnchorButton href="#connect" size="large">
            Connect a client
          </AnchorButton>
        </div>
      </div>
      <Gate {...props} />
    </section>
  );
}

/** Shows how it works with the real link: clients above it, services below. */
function Gate({ link, clients, found, failed }: HeroProps) {
  return (
    <div className="min-w-0">
      <ul aria-label="Clients" className="grid grid-cols-2 gap-1.5 sm:grid-cols-4">
        {clients.map((name) => (
          <li key={name} className="truncate px-1 py-1 text-center text-xs font-medium text-quiet">
            {name}
          </li>
        ))}
      </ul>
      <Thread />
      <Doorway>
        <CopyField label="The link" hideLabel value={link} primary />
      </Doorway>
      <Thread />
      <LiveServers found={found} failed={failed} />
    </div>
  );
}

/** A box with a keel arch in its upper edge, like the mark, wide enough for the link. */
function Doorway({ children }: { children: ReactNode }) {
  const shoulder = 'h-4 flex-1 border-t border-line-strong bg-surface';
  return (
    <div>
      <div aria-hidden className="flex items-end">
        <div className={`${shoulder} rounded-tl-lg border-l`} />
        <svg viewBox="0 0 112 56" width="112" height="56" className="shrink-0">
          <path d="M0 40.5H8C34 40.5 40 21 56 1C72 21 78 40.5 104 40.5H112V56H0Z" className="fill-surface" />
          <path
            d="M0 40.5H8C34 40.5 40 21 56 1C72 21 78 40.5 104 40.5H112"
            fill="none"
            className="stroke-line-strong"
          />
          <circle cx="56" cy="31" r="5" className="fill-accent" />
        </svg>
        <div className={`${shoulder} rounded-tr-lg border-r`} />
      </div>
      <div className="rounded-b-lg border-x border-b border-line-strong bg-surface px-4 pb-4">{children}</div>
    </div>
  );
}

function Thread() {
  return <div aria-hidden className="mx-auto h-5 w-px bg-line-strong" />;
}

function LiveServers({ found, failed }: Pick<HeroProps, 'found' | 'failed'>) {
  const servers = found?.servers;
  const more = (found?.deployed ?? 0) - shownServers;
  return (
    <div className="overflow-hidden rounded-lg border border-line bg-surface">
      <ul aria-label="Servers behind the link" className="divide-y divide-line">
        {servers === undefined && failed && <li className="px-4 py-3 text-quiet">Failed to load MCP servers</li>}
        {servers === undefined &&
          !failed &&
          ['one', 'two', 'three', 'four'].map((place) => (
            <li key={place} className="flex h-12 items-center gap-3 px-4">
              <Skeleton className="size-6" />
              <Skeleton className="h-4 w-32" />
            </li>
          ))}
        {servers
          ?.slice(0, shownServers)
          .map(({ serverId, displayName, metadata, capabilities, askingTools = 0, status }) => (
            <li key={serverId} className="relative flex h-12 items-center gap-3 px-4 hover:bg-sunken/60">
              <Icon id={serverId} name={displayName} src={metadata.icon} size={24} />
              <Link
                dir="auto"
                to="/service/$serviceId"
                params={{ serviceId: serverId }}
                className="truncate font-medium after:absolute after:inset-0"
              >
                {displayName}
              </Link>
              <span className="ml-auto text-[0.8125rem] whitespace-nowrap text-quiet tabular-nums">
                {counted(capabilities.tools - askingTools, 'tool')}
              </span>
              <StatusBadge status={status} quiet />
            </li>
          ))}
        {servers?.length === 0 && <li className="px-4 py-3 text-quiet">No MCP servers are currently available.</li>}
      </ul>
      {more > 0 && (
        <Link
          to="/marketplace"
          className="block border-t border-line px-4 py-2.5 text-[0.8125rem] text-quiet hover:text-text"
        >
          and {counted(more, 'more server')}
        </Link>
      )}
    </div>
  );
}
