import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import Globe from 'lucide-react/icons/globe';
import ShieldCheck from 'lucide-react/icons/shield-check';
import Zap from 'lucide-react/icons/zap';
import type { ReactNode } from 'react';
import { Faq } from '#ui/accordion.tsx';
import { Card } from '#ui/card.tsx';
import { EmptyState } from '#ui/state/empty-state.tsx';
import { LinkButton } from '#ui/link-button.tsx';
import { ScreenTitle } from '#ui/text/screen-title.tsx';
import { config } from '#web/config.ts';
import { LoadError } from '#web/loading/load-error.tsx';
import { HomeCategories } from './home-categories.tsx';
import { HomeHero } from './home-hero.tsx';
import { features, questions } from './home-texts.ts';
import { serversQuery } from '../queries.ts';
import { SearchAndFilter } from './search-and-filter.tsx';
import { ServerGrid, ServerGridPlaceholder } from '../marketplace/server-grid.tsx';

export type HomeScreenProps = {
  clients: readonly string[];
  connectPanel: ReactNode;
  /** Says how to add the first server, if none is deployed. */
  howToFill?: ReactNode;
  /** The credits for new accounts. */
  offer?: ReactNode;
};

/** Home shows the first 6 servers (spec part 1, section 9), in the operator's order. */
export const firstServers = serversQuery({ sort: 'featured', pageSize: 6 });

/** / : what the product is, the link, the first servers, how to connect. */
export function HomeScreen({ clients, connectPanel, howToFill, offer }: HomeScreenProps) {
  const navigate = useNavigate();
  const { data, isError } = useQuery(firstServers);
  return (
    <>
      <ScreenTitle />
      <HomeHero link={`${config.publicUrl}/mcp`} clients={clients} found={data} failed={isError} offer={offer} />
      <SearchAndFilter onSearch={(search) => void navigate({ to: '/marketplace', search })} />
      <FirstServers howToFill={howToFill} />
      <HomeCategories />
      <Section id="connect" title="Connect a Client" subtitle="The link is the same for all of them.">
        {connectPanel}
      </Section>
      <Section title="Platform Features">
        <div className="grid gap-4 lg:grid-cols-3">
          {features.map(({ id, title, text }) => (
            <Card key={id} padding="large">
              <FeatureIcon id={id} />
              <h3 className="mt-4 mb-1.5 text-base font-semibold">{title}</h3>
              <p className="text-quiet">{text}</p>
            </Card>
          ))}
        </div>
      </Section>
      <Faq items={questions} />
    </>
  );
}

function FirstServers({ howToFill }: Pick<HomeScreenProps, 'howToFill'>) {
  const first = useQuery(firstServers);
  const { data, error } = first;
  return (
    <Section title="Servers">
      {first.isPending && <ServerGridPlaceholder />}
      {!data && error && <LoadError title="Failed to load MCP servers" text={error.message} query={first} />}
      {data?.servers.length === 0 && (
        <EmptyState
          title="No servers found"
          text={
            <>
              <p>No MCP servers are currently available.</p>
              {howToFill}
            </>
          }
        />
      )}
      {data && data.servers.length > 0 && (
        <>
          <ServerGrid servers={data.servers} />
          <div className="mt-6 flex justify-center">
            <LinkButton to="/marketplace">View All Servers</LinkButton>
          </div>
        </>
      )}
    </Section>
  );
}

type SectionProps = { id?: string; title: string; subtitle?: string; children: ReactNode };

function Section({ id, title, subtitle, children }: SectionProps) {
  return (
    <section id={id} className="scroll-mt-20 pt-14 sm:pt-16">
      <h2 className="text-xl/7 font-semibold tracking-tight">{title}</h2>
      {subtitle && <p className="mt-1 text-quiet">{subtitle}</p>}
      <div className="mt-5">{children}</div>
    </section>
  );
}

const featureIcons = { setup: Zap, security: ShieldCheck, community: Globe } as const;

function FeatureIcon({ id }: { id: keyof typeof featureIcons }) {
  const Icon = featureIcons[id];
  return <Icon aria-hidden size={20} className="text-accent" />;
}
