import { maxSearchLength, type suggestMatches } from '@souk/contract/catalogue-search.ts';
import type { AnswerOutput } from '@souk/contract/endpoint.ts';
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { useNavigate, type LinkProps } from '@tanstack/react-router';
import ArrowRight from 'lucide-react/icons/arrow-right';
import Search from 'lucide-react/icons/search';
import Wrench from 'lucide-react/icons/wrench';
import { useState } from 'react';
import { CommandPopup, type Command, type CommandGroup } from '#ui/command-popup.tsx';
import { Icon } from '#ui/icon.tsx';
import { api } from '#web/api.ts';
import { callCost } from '../server-texts.ts';

export type PaletteScreen = { label: string; to: NonNullable<LinkProps['to']> };

export type PalettePopupProps = {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  screens: readonly PaletteScreen[];
};

const suggestionsQuery = (q: string) =>
  queryOptions({
    queryKey: ['catalogue', 'suggestions', q],
    queryFn: ({ signal }) => api.suggestMatches({ query: { q } }, { signal }),
    placeholderData: keepPreviousData,
  });

/** Finds servers, tools and screens, and leads there. Loaded when it is first opened. */
export function PalettePopup({ open, onOpenChange, screens }: PalettePopupProps) {
  const [text, setText] = useState('');
  const q = text.trim();
  const { data, error } = useQuery({ ...suggestionsQuery(q), enabled: open });
  const navigate = useNavigate();
  const empty = error ? `Failed to load MCP servers. ${error.message}` : data && `Nothing matches “${q}”.`;
  return (
    <CommandPopup
      open={open}
      onOpenChange={(next) => {
        onOpenChange(next);
        if (!next) setText('');
      }}
      label="Search servers, tools and screens"
      placeholder="Search servers, tools and screens"
      maxLength={maxSearchLength}
      text={text}
      onTextChange={setText}
      groups={groupsOf(q, data, screens, navigate)}
      empty={empty}
    />
  );
}

type Found = AnswerOutput<typeof suggestMatches>;
type Navigate = ReturnType<typeof useNavigate>;

/** Without a text the screens come first. With one they come last, and tools first where no server is called so. */
function groupsOf(
  q: string,
  found: Found | undefined,
  screens: readonly PaletteScreen[],
  navigate: Navigate,
): CommandGroup[] {
  const all = q !== '' && found?.servers.length ? [allResults(q, navigate)] : [];
  const servers = { label: 'Servers', items: [...serversOf(found, navigate), ...all] };
  const tools = { label: 'Tools', items: toolsOf(found, navigate) };
  const fitting = screens.filter(({ label }) => label.toLowerCase().includes(q.toLowerCase()));
  const leading = { label: 'Screens', items: screensOf(fitting, navigate) };
  const isNamed = found?.servers.some(({ displayName }) => displayName.toLowerCase().includes(q.toLowerCase()));
  const groups = q === '' ? [leading, servers] : isNamed ? [servers, tools, leading] : [tools, servers, leading];
  return groups.filter(({ items }) => items.length > 0);
}

function serversOf(found: Found | undefined, navigate: Navigate): Command[] {
  return (found?.servers ?? []).map(({ serverId, displayName, displayDescription, icon }) => ({
    id: `server ${serverId}`,
    label: displayName,
    detail: displayDescription,
    icon: <Icon id={serverId} name={displayName} src={icon} size={20} />,
    onSelect: () => void navigate({ to: '/service/$serviceId', params: { serviceId: serverId } }),
  }));
}

function allResults(q: string, navigate: Navigate): Command {
  return {
    id: 'all results',
    label: 'See all results',
    icon: <Search aria-hidden size={16} />,
    onSelect: () => void navigate({ to: '/marketplace', search: { q } }),
  };
}

function toolsOf(found: Found | undefined, navigate: Navigate): Command[] {
  return (found?.tools ?? []).map(({ serverId, serverName, name, displayName, creditCost }) => ({
    id: `tool ${serverId} ${name}`,
    label: displayName,
    detail: serverName,
    hint: callCost(creditCost),
    icon: <Wrench aria-hidden size={16} />,
    onSelect: () => void navigate({ to: '/service/$serviceId', params: { serviceId: serverId } }),
  }));
}

function screensOf(screens: readonly PaletteScreen[], navigate: Navigate): Command[] {
  return screens.map(({ label, to }) => ({
    id: `screen ${label}`,
    label,
    icon: <ArrowRight aria-hidden size={16} />,
    onSelect: () => void navigate({ to }),
  }));
}
