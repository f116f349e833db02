import { useQuery } from '@tanstack/react-query';
import { serverQuery } from '#web/loading/server-query.ts';
import { unknownToolsText } from '../rent/unknown-tools-text.ts';

/** Says, after the user paid for a rental, where its tools are or when they appear. */
export function RentedTools({ serverId }: { serverId: string }) {
  const { data } = useQuery(serverQuery(serverId));
  if (!data) return null;
  const hasTools = data.capabilities.some(({ type }) => type === 'tool');
  if (!hasTools) return `${unknownToolsText(data.server.displayName, data.server)} `;
  const isDown = data.server.downSince !== undefined;
  return `The tools of the service are in your link. ${isDown ? 'Calls to them fail until it is back, and are not charged. ' : ''}`;
}
