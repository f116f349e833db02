import { TextLink } from '#ui/text/text-link.tsx';
import { config } from '../config.ts';

const labels = { terms: 'Terms', privacy: 'Privacy', refunds: 'Refunds' } as const;

export const legalLinks = config.legal.map((page) => ({ id: page, label: labels[page], to: `/${page}` as const }));

/** Links to the terms of a payment. A dialog opens them in a new tab, so that it keeps its state. */
export function BeforeYouPay({ newTab }: { newTab?: boolean }) {
  if (legalLinks.length === 0) return null;
  return (
    <p className="mt-2">
      Before you pay:{' '}
      {legalLinks.map(({ id, label, to }, index) => (
        <span key={id}>
          {index > 0 && '\u00A0· '}
          <TextLink to={to} newTab={newTab}>
            {label}
          </TextLink>
        </span>
      ))}
    </p>
  );
}
