import Briefcase from 'lucide-react/icons/briefcase';
import LifeBuoy from 'lucide-react/icons/life-buoy';
import Mail from 'lucide-react/icons/mail';
import { Accordion } from '#ui/accordion.tsx';
import { Card } from '#ui/card.tsx';
import { AnchorButton } from '#ui/link-button.tsx';
import { ScreenHeading } from '#ui/text/screen-heading.tsx';
import { ScreenTitle } from '#ui/text/screen-title.tsx';
import { TextAnchor } from '#ui/text/text-link.tsx';
import { config } from '#web/config.ts';
import { contactQuestions } from './contact-questions.ts';

const cards = [
  {
    id: 'support',
    Icon: LifeBuoy,
    title: 'Support',
    text: "Something doesn't work, or you can't find out how it works.",
    address: config.supportEmail,
  },
  {
    id: 'business',
    Icon: Briefcase,
    title: 'Business',
    text: 'Offer your own MCP server here, buy for a team, or work with us.',
    address: config.businessEmail,
  },
  {
    id: 'general',
    Icon: Mail,
    title: 'General',
    text: 'Questions, ideas and everything else.',
    address: config.contactEmail,
  },
] as const;

/** /contact and /support: three addresses and the FAQ (spec part 1, section 2). */
export function ContactScreen() {
  return (
    <>
      <ScreenTitle title="Contact" />
      <ScreenHeading title="Contact" subtitle={`Write to the people who run ${config.brandName}.`} />
      <ul className="grid gap-4 md:grid-cols-3">
        {cards.map(({ id, Icon, title, text, address }) => (
          <Card as="li" key={id} padding="large" className="flex flex-col">
            <Icon aria-hidden size={22} strokeWidth={1.75} className="text-accent" />
            <h2 className="mt-4 mb-1.5 text-base font-semibold">{title}</h2>
            <p className="mb-4 text-quiet">{text}</p>
            <TextAnchor href={`mailto:${address}`} className="mt-auto self-start font-medium wrap-anywhere">
              {address}
            </TextAnchor>
          </Card>
        ))}
      </ul>
      <section
        aria-labelledby="questions"
        className="grid gap-x-16 gap-y-5 pt-14 sm:pt-16 lg:grid-cols-[minmax(0,1fr)_minmax(0,2fr)] lg:grid-rows-[auto_1fr]"
      >
        <h2 id="questions" className="text-xl/7 font-semibold tracking-tight">
          Frequently Asked Questions
        </h2>
        <div className="lg:row-span-2">
          <Accordion items={contactQuestions} />
        </div>
        <div>
          <p className="mb-3 text-quiet">Not answered here?</p>
          <AnchorButton href={`mailto:${config.supportEmail}`}>Contact Support</AnchorButton>
        </div>
      </section>
    </>
  );
}
