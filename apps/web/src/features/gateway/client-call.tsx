import { builtInToolTitle } from '@souk/contract/built-in-tools.ts';
import { useQuery } from '@tanstack/react-query';
import { Ago } from '#ui/text/moment.tsx';
import { useServerTexts } from '#web/loading/server-query.ts';
import { clientCallQuery } from './queries.ts';

/** The last client that got an answer, and its call: "Claude Code called Find airports 2 minutes ago". */
export function ClientCall({ userId, serverId, at }: { userId: string; serverId: string | undefined; at: string }) {
  const { data: call } = useQuery(clientCallQuery(userId, serverId, at));
  const { titleOf } = useServerTexts(call?.serverId ? [call.serverId] : []);
  if (!call) return null;
  const toolTitle = call.serverId === null ? builtInToolTitle(call.name) : titleOf(call.serverId, call.name);
  const title = call.kind === 'tool' ? toolTitle : call.name;
  return (
    <span className="text-[0.8125rem] text-quiet wrap-anywhere">
      {call.client.name} {call.kind === 'tool' ? 'called' : 'read'} {title} <Ago moment={call.at} />
    </span>
  );
}
