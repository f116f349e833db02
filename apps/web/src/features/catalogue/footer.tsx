import { useQuery } from '@tanstack/react-query';
import type { LinkProps } from '@tanstack/react-router';
import { counted, formatCount } from '#ui/text/amount.ts';
import { BrandMark } from '#ui/picture/brand-mark.tsx';
import { TextAnchor, TextLink } from '#ui/text/text-link.tsx';
import { config } from '#web/config.ts';
import { healthQuery } from './queries.ts';

export type FooterProps = {
  links: readonly { label: string; to: NonNullable<LinkProps['to']> }[];
  /** Only visitors see the stats line. */
  signedIn: boolean;
};

export function Footer({ links, signedIn }: FooterProps) {
  return (
    <footer className="mt-8 border-t border-line">
      <div className="mx-auto grid w-full max-w-page gap-8 px-4 py-10 sm:grid-cols-[1fr_auto_auto] sm:gap-16 sm:px-6">
        <div>
          <p className="flex items-center gap-2 font-semibold">
            <BrandMark size={20} />
            {config.brandName}
          </p>
          <p className="mt-2 text-quiet">One-click AI upgrade</p>
          {!signedIn && <StatsLine />}
        </div>
        <nav aria-label="Quick links">
          <h2 className="mb-2 font-medium">Quick links</h2>
          <ul className="space-y-1.5">
            {links.map(({ label, to }) => (
              <li key={label}>
                <TextLink to={to} tone="quiet">
                  {label}
                </TextLink>
              </li>
            ))}
          </ul>
        </nav>
        <div>
          <h2 className="mb-2 font-medium">Contact</h2>
          <ul className="space-y-1.5">
            <li>
              <Mail title="Support" address={config.supportEmail} />
            </li>
            <li>
              <Mail title="Business" address={config.businessEmail} />
            </li>
          </ul>
        </div>
      </div>
    </footer>
  );
}

function Mail({ title, address }: { title: string; address: string }) {
  return (
    <>
      <span className="text-quiet">{title}: </span>
      <TextAnchor tone="quiet" href={`mailto:${address}`} className="wrap-anywhere">
        {address}
      </TextAnchor>
    </>
  );
}

/** servers = deployed, capabilities = tools + prompts + resources, active = connected (clarifications, Marketplace). */
function StatsLine() {
  const { data } = useQuery(healthQuery);
  return (
    <p className="mt-4 min-h-5 text-[0.8125rem] text-quiet tabular-nums">
      {data &&
        `${counted(data.server.serverCount, 'server')} · ${formatCount(data.server.totalCapabilities)} capabilities · ${formatCount(data.connections.connected)} active`}
    </p>
  );
}
