import { TextLink } from '#ui/text/text-link.tsx';
import { config } from '../config.ts';

const labels = { terms: 'Terms', privacy: 'Privacy', refunds: 'Refunds' } as const;

/** The pages whose text the operator gives: those alone have links. */
export const legalLinks = config.legal.map((page) => ({
  id: page,
  label: labels[page],
  link: (
    <TextLink to={`/${page}`} tone="quiet">
      {labels[page]}
    </TextLink>
  ),
}));

/** Before a payment: what a person agrees to. A dialog opens it in a new tab, and stays with its choice. Nothing where the operator gives no text. */
export function BeforeYouPay({ newTab }: { newTab?: boolean }) {
  if (legalLinks.length === 0) return null;
  return (
    <p className="mt-2">
      Before you pay:{' '}
      {config.legal.map((page, index) => (
        <span key={page}>
          {index > 0 && '\u00A0· '}
          <TextLink to={`/${page}`} newTab={newTab}>
            {labels[page]}
          </TextLink>
        </span>
      ))}
    </p>
  );
}
