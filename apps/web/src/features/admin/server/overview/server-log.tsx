import { useQuery } from '@tanstack/react-query';
import RotateCw from 'lucide-react/icons/rotate-cw';
import { Button } from '#ui/button.tsx';
import { CopyButton } from '#ui/text/copy-button.tsx';
import { NotLoaded } from '../../not-loaded.tsx';
import { Section } from '../../section.tsx';
import { LogLines } from '../log-lines.tsx';
import { logQuery } from '../server-queries.ts';

/** Last stderr lines of a program that all users share. */
export function ServerLog({ userId, serverId }: { userId: string; serverId: string }) {
  const log = useQuery(logQuery(userId, serverId));
  const { data, refetch, isFetching } = log;
  const lines = data?.lines ?? [];
  return (
    <Section
      id="server-log"
      title="Error output"
      text="The program's last lines on stderr, from the broker that answered this page."
      actions={
        <span className="flex gap-2">
          {lines.length > 0 && <CopyButton text={lines.join('\n')} size="small" name="Copy the error output" />}
          <Button
            size="small"
            loading={isFetching}
            onClick={() => void refetch()}
            icon={<RotateCw aria-hidden size={14} />}
          >
            Refresh<span className="sr-only"> the error output</span>
          </Button>
        </span>
      }
    >
      {!data && <NotLoaded query={log} label="Loading the error output…" />}
      {data?.isPerPerson && (
        <p className="text-quiet">
          Each person has a process of their own. What it writes may name that person, so it isn&apos;t shown here.
          {lines.length > 0 && ' These lines come from connection tests.'}
        </p>
      )}
      {lines.length > 0 && <LogLines label="Error output" lines={lines} />}
      {data && !data.isPerPerson && lines.length === 0 && <p className="text-quiet">Nothing was written yet.</p>}
    </Section>
  );
}
