import { TextLink } from '#ui/text/text-link.tsx';
import { config } from '../config.ts';

const labels = { terms: 'Terms', privacy: 'Privacy', refunds: 'Refunds' } as const;

/** The pages whose text the operator gives: those alone have links. */
export const legalLinks = config.legal.map((page) => ({ id: page, label: labels[page], to: `/${page}` as const }));

/** Before a payment: what a person agrees to. A dialog opens it in a new tab, and stays with its choice. Nothing where the operator gives no text. */
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
