import KeyRound from 'lucide-react/icons/key-round';
import LockKeyhole from 'lucide-react/icons/lock-keyhole';
import SlidersHorizontal from 'lucide-react/icons/sliders-horizontal';
import { Card } from '#ui/card.tsx';
import { CopyField } from '#ui/text/copy-field.tsx';
import { LinkButton } from '#ui/link-button.tsx';
import { ScreenTitle } from '#ui/text/screen-title.tsx';
import { config } from '#web/config.ts';
import { pillars, steps, vision } from './about-texts.ts';

const icons = { secrets: LockKeyhole, keys: KeyRound, configuration: SlidersHorizontal } as const;

/** /about: the product's promises, how it works, and why it exists (spec part 1, section 2). */
export function AboutScreen() {
  return (
    <>
      <ScreenTitle title="About" />
      <header className="max-w-lg pb-12 sm:pt-6">
        <h1 className="text-4xl/11 font-semibold tracking-tighter sm:text-5xl/13">Instant MCP Tools for Everyone</h1>
        <p className="mt-5 text-base/7 text-quiet sm:text-lg/8">
          {config.brandName} is a marketplace for MCP servers. One link connects your AI assistant to every service you
          choose.
        </p>
      </header>
      <ul className="grid gap-4 lg:grid-cols-3">
        {pillars.map(({ id, title, text }) => {
          const Icon = icons[id];
          return (
            <Card as="li" key={id} padding="large">
              <Icon aria-hidden size={22} strokeWidth={1.75} className="text-accent" />
              <h2 className="mt-4 mb-1.5 text-base font-semibold">{title}</h2>
              <p className="text-quiet">{text}</p>
            </Card>
          );
        })}
      </ul>
      <HowItWorks />
      <section
        aria-labelledby="vision"
        className="grid gap-x-16 gap-y-5 pt-16 lg:grid-cols-[minmax(0,1fr)_minmax(0,2fr)]"
      >
        <h2 id="vision" className="text-xl/7 font-semibold tracking-tight">
          Our Vision
        </h2>
        <div className="max-w-prose space-y-4 text-base/7 text-quiet">
          {vision.map((paragraph) => (
            <p key={paragraph}>{paragraph}</p>
          ))}
          <div className="flex flex-wrap gap-3 pt-3">
            <LinkButton to="/marketplace" variant="primary" size="large">
              Browse Servers
            </LinkButton>
            <LinkButton to="/contact" size="large">
              Contact us
            </LinkButton>
          </div>
        </div>
      </section>
    </>
  );
}

function HowItWorks() {
  return (
    <section aria-labelledby="how" className="pt-16">
      <h2 id="how" className="mb-5 text-xl/7 font-semibold tracking-tight">
        How It Works
      </h2>
      <ol className="grid gap-px overflow-hidden rounded-lg border border-line bg-line lg:grid-cols-[1fr_1.4fr_1fr]">
        {steps.map(({ id, title, text }, place) => (
          <li key={id} className="flex min-w-0 flex-col bg-surface p-5 sm:p-6">
            <span aria-hidden className="mb-3 text-3xl/9 font-semibold tracking-tight text-line-strong tabular-nums">
              {place + 1}
            </span>
            <h3 className="mb-1.5 text-base font-semibold">{title}</h3>
            <p className="text-quiet">{text}</p>
            {id === 'add' && (
              <div className="mt-4">
                <CopyField label="The link" hideLabel value={`${config.publicUrl}/mcp`} />
              </div>
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}
