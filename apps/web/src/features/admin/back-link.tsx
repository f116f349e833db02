import ArrowLeft from 'lucide-react/icons/arrow-left';
import { TextLink } from '#ui/text/text-link.tsx';
import type { AdminSearch } from './admin-search.ts';

export function BackLink({ search, children }: { search: AdminSearch; children: string }) {
  return (
    <TextLink to="/admin" search={search} tone="quiet" className="mb-4 inline-flex min-h-7 items-center gap-1.5">
      <ArrowLeft aria-hidden size={16} />
      {children}
    </TextLink>
  );
}
