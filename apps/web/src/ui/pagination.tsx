import ChevronLeft from 'lucide-react/icons/chevron-left';
import ChevronRight from 'lucide-react/icons/chevron-right';
import { Button } from './button.tsx';

export type PaginationProps = {
  /** Counts from 1. */
  page: number;
  pageCount: number;
  onChange: (page: number) => void;
  /** The content of the pages: "Transactions". */
  label: string;
  /** The words before "2 of 7". */
  words?: string | undefined;
  /** Shown even for a single page. */
  always?: boolean | undefined;
};

export function Pagination({ page, pageCount, onChange, label, words = 'Page', always }: PaginationProps) {
  if (pageCount <= 1 && !always) return null;
  return (
    <nav aria-label={`${label}, pages`} className="flex items-center justify-between gap-3 sm:justify-end">
      <span aria-live="polite" className="text-quiet tabular-nums">
        {words} {page} of {pageCount}
      </span>
      <span className="flex gap-2">
        <Button
          size="small"
          disabled={page <= 1}
          onClick={() => onChange(page - 1)}
          icon={<ChevronLeft aria-hidden size={15} />}
        >
          Previous
        </Button>
        <Button size="small" disabled={page >= pageCount} onClick={() => onChange(page + 1)}>
          Next
          <ChevronRight aria-hidden size={15} />
        </Button>
      </span>
    </nav>
  );
}
