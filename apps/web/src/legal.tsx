import { createClient } from '@souk/contract/client.ts';
import { getLegalText, legalTitles, type LegalPage } from '@souk/contract/legal.ts';
import { useQuery } from '@tanstack/react-query';
import { Markdown } from '#features/tool-runs/result/markdown.tsx';
import { ListSkeleton } from '#ui/state/list-skeleton.tsx';
import { Notice } from '#ui/state/notice.tsx';
import { ScreenHeading } from '#ui/text/screen-heading.tsx';
import { ScreenTitle } from '#ui/text/screen-title.tsx';
import { clientOptions } from './api.ts';
import { LoadError } from './loading/load-error.tsx';

const legalApi = createClient([getLegalText] as const, clientOptions);

export function Legal({ page }: { page: LegalPage }) {
  const title = legalTitles[page];
  const text = useQuery({
    queryKey: ['legal', page],
    queryFn: () => legalApi.getLegalText({ params: { page } }),
    staleTime: Infinity,
  });
  return (
    // keeps the footer in place when a short text arrives
    <div className="min-h-dvh">
      <ScreenTitle title={title} />
      <ScreenHeading title={title} />
      {text.isPending ? (
        <ListSkeleton label="Loading the text…" />
      ) : text.isError ? (
        <LoadError title="Failed to load the text" query={text} />
      ) : (
        <div className="flex max-w-prose flex-col gap-6">
          {text.data.isDemo && <Notice>This text belongs to the demo. A real shop has its own.</Notice>}
          <Markdown text={text.data.markdown} />
        </div>
      )}
    </div>
  );
}
