import ArrowLeft from 'lucide-react/icons/arrow-left';
import { TextLink } from '#ui/text/text-link.tsx';

export function BackToOffers() {
  return (
    <TextLink
      to="/admin"
      search={{ tab: 'offers' }}
      tone="quiet"
      className="mb-4 inline-flex min-h-7 items-center gap-1.5"
    >
      <ArrowLeft aria-hidden size={16} />
      All offers
    </TextLink>
  );
}
