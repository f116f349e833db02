import PackageOpen from 'lucide-react/icons/package-open';
import { Accordion } from '../accordion.tsx';
import { Button } from '../button.tsx';
import { EmptyState } from '../state/empty-state.tsx';
import { ErrorState } from '../state/error-state.tsx';
import { Part } from './part.tsx';

export function States() {
  return (
    <Part title="Empty, error, questions">
      <div className="mb-6 grid gap-4 sm:grid-cols-2">
        <EmptyState
          icon={<PackageOpen aria-hidden />}
          title="No servers found"
          text="Try adjusting your search query."
          actions={<Button>Clear search</Button>}
        />
        <ErrorState title="Failed to load MCP servers" text="Network error occurred" onRetry={() => undefined} />
      </div>
      <Accordion
        items={[
          { id: 'a', title: 'Do I need an API key?', content: 'No. You sign in once, and the link carries the rest.' },
          { id: 'b', title: 'What does it cost?', content: 'Free servers are free. Others cost what their card says.' },
        ]}
      />
    </Part>
  );
}
