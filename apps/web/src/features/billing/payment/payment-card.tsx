import CircleAlert from 'lucide-react/icons/circle-alert';
import CircleCheck from 'lucide-react/icons/circle-check';
import CircleDashed from 'lucide-react/icons/circle-dashed';
import type { ReactNode } from 'react';
import { Card } from '#ui/card.tsx';
import { ScreenTitle } from '#ui/text/screen-title.tsx';
import { Spinner } from '#ui/state/spinner.tsx';
import { TextAnchor } from '#ui/text/text-link.tsx';
import { config } from '#web/config.ts';

export type PaymentCardProps = {
  tone: 'busy' | 'good' | 'idle' | 'bad';
  title: string;
  text: string;
  sessionId?: string | undefined;
  actions?: ReactNode;
  children?: ReactNode;
};

/** Spec part 2, section 9. */
const shownIdLength = 20;

const icons = {
  busy: <Spinner size={32} />,
  good: <CircleCheck aria-hidden size={32} className="text-good" />,
  idle: <CircleDashed aria-hidden size={32} className="text-quiet" />,
  bad: <CircleAlert aria-hidden size={32} className="text-bad" />,
} as const;

export function PaymentCard({ tone, title, text, sessionId, actions, children }: PaymentCardProps) {
  return (
    <div className="mx-auto flex max-w-md flex-col gap-5 py-4 sm:py-10">
      <ScreenTitle title={title.replace(/[!…]$/, '')} />
      <Card padding="large" className="flex flex-col items-center gap-4 text-center">
        {icons[tone]}
        <div role={tone === 'bad' ? 'alert' : 'status'}>
          <h1 className="text-xl/7 font-semibold tracking-tight">{title}</h1>
          <p className="mt-1.5 text-quiet wrap-anywhere">{text}</p>
        </div>
        {children}
        {actions && <div className="flex flex-wrap justify-center gap-2">{actions}</div>}
      </Card>
      <div className="text-center text-[0.8125rem] text-quiet">
        {sessionId !== undefined && (
          <p>
            Payment <code className="font-mono text-xs">{shorten(sessionId)}</code>
          </p>
        )}
        <p className="mt-1">
          Something not right? <TextAnchor href={`mailto:${config.supportEmail}`}>Contact support</TextAnchor>
        </p>
      </div>
    </div>
  );
}

const shorten = (id: string) => (id.length > shownIdLength ? `${id.slice(0, shownIdLength)}…` : id);
