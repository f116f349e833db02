import type { getCategories } from '@souk/contract/catalogue/catalogue-search.ts';
import type { AnswerOutput } from '@souk/contract/endpoint.ts';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import ArrowRight from 'lucide-react/icons/arrow-right';
import { Card } from '#ui/card.tsx';
import { DelayedFallback } from '#ui/state/delayed-fallback.tsx';
import { Icon } from '#ui/picture/icon.tsx';
import { Skeleton } from '#ui/state/skeleton.tsx';
import { counted } from '#ui/text/amount.ts';
import { typeLabels } from '../marketplace/marketplace-search.ts';
import { categoriesQuery } from '../queries.ts';

type Category = AnswerOutput<typeof getCategories>['categories'][number];

// items-start: cards of a row keep their own heights, since categories have different numbers of servers
const grid = 'grid items-start gap-4 lg:grid-cols-3';

/**
 * The categories, each with its first servers. Shows nothing if they cannot be loaded, or if there is only one, which
 * would repeat the cards above.
 */
export function HomeCategories() {
  const { data, isPending } = useQuery(categoriesQuery);
  if (!isPending && (data?.categories.length ?? 0) < 2) return null;
  return (
    <section aria-labelledby="categories" className="pt-14 sm:pt-16">
      <h2 id="categories" className="text-xl/7 font-semibold tracking-tight">
        Categories
      </h2>
      <div className="mt-5">
        {data ? (
          <ul className={grid}>
            {data.categories.map((category) => (
              <Card key={category.category} as="li" padding="none" className="flex flex-col">
                <CategorySection {...category} />
              </Card>
            ))}
          </ul>
        ) : (
          <CategoriesPlaceholder />
        )}
      </div>
    </section>
  );
}

function CategorySection({ category, total, servers }: Category) {
  const name = typeLabels[category];
  return (
    <>
      <div className="flex items-baseline justify-between gap-3 px-4 pt-4 pb-2">
        <h3 dir="auto" className="truncate font-semibold">
          {name}
        </h3>
        <span className="shrink-0 text-[0.8125rem] text-quiet tabular-nums">{counted(total, 'server')}</span>
      </div>
      <ul className="px-2 pb-2">
        {servers.map(({ serverId, displayName, displayDescription, icon }) => (
          <li
            key={serverId}
            className="relative flex items-center gap-3 rounded-md p-2 transition-colors hover:bg-sunken/60"
          >
            <Icon id={serverId} name={displayName} src={icon} size={32} />
            <div className="min-w-0">
              <Link
                dir="auto"
                to="/service/$serviceId"
                params={{ serviceId: serverId }}
                className="block truncate font-medium outline-none after:absolute after:inset-0 after:rounded-md focus-visible:after:outline-2 focus-visible:after:-outline-offset-2 focus-visible:after:outline-accent"
              >
                {displayName}
              </Link>
              <p dir="auto" className="truncate text-[0.8125rem] text-quiet">
                {displayDescription}
              </p>
            </div>
          </li>
        ))}
      </ul>
      <Link
        to="/marketplace"
        search={{ type: category }}
        className="group mt-auto flex items-center justify-between gap-3 rounded-b-lg border-t border-line px-4 py-3 text-[0.8125rem] font-medium transition-colors hover:text-accent focus-visible:-outline-offset-2"
      >
        <span>View all {name}</span>
        <ArrowRight aria-hidden size={14} className="transition-transform group-hover:translate-x-0.5" />
      </Link>
    </>
  );
}

function CategoriesPlaceholder() {
  return (
    <DelayedFallback label="Loading categories…">
      <div className={grid}>
        {['one', 'two', 'three'].map((place) => (
          <Card key={place} className="flex flex-col gap-4">
            <Skeleton className="h-5 w-28" />
            {['first', 'second', 'third'].map((row) => (
              <div key={row} className="flex h-10 items-center gap-3">
                <Skeleton className="size-8 shrink-0" />
                <Skeleton className="h-4 w-40 max-w-full" />
              </div>
            ))}
            <Skeleton className="mt-1 h-4 w-32" />
          </Card>
        ))}
      </div>
    </DelayedFallback>
  );
}
