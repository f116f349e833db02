import { maxSearchLength, type suggestMatches } from '@souk/contract/catalogue/catalogue-search.ts';
import type { AnswerOutput } from '@souk/contract/endpoint.ts';
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import Search from 'lucide-react/icons/search';
import Wrench from 'lucide-react/icons/wrench';
import { useState } from 'react';
import { CommandPopup, type Command, type CommandGroup } from '#ui/overlay/command-popup.tsx';
import { Icon } from '#ui/picture/icon.tsx';
import { api } from '#web/api.ts';
import { callCost } from '../server-texts.ts';
import type { PaletteProps } from './command-palette.tsx';

/** `words`: additional words that match the command. */
export type PaletteCommand = Command & { words?: string };

export type PaletteCommands = {
  screens: readonly PaletteCommand[];
  /** Parts of screens, found only by a text. */
  parts: readonly PaletteCommand[];
  actions: readonly PaletteCommand[];
};

export type PalettePopupProps = PaletteProps & PaletteCommands;

const suggestionsQuery = (q: string) =>
  queryOptions({
    queryKey: ['catalogue', 'suggestions', q],
    queryFn: ({ signal }) => api.suggestMatches({ query: { q } }, { signal }),
    placeholderData: keepPreviousData,
  });

/** Finds services, tools and screens and leads there, and runs actions. Loaded when it is first opened. */
export function PalettePopup({ open, onOpenChange, typed, ...commands }: PalettePopupProps) {
  const [text, setText] = useState(typed);
  const [taken, setTaken] = useState(typed);
  if (typed !== taken) {
    setTaken(typed);
    if (open) setText(typed);
  }
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
      label="Search services, tools and screens"
      placeholder="Search services, tools and screens"
      maxLength={maxSearchLength}
      text={text}
      onTextChange={setText}
      groups={groupsOf(q, data, commands, navigate)}
      empty={empty}
    />
  );
}

type Found = AnswerOutput<typeof suggestMatches>;
type Navigate = ReturnType<typeof useNavigate>;

/**
 * Orders the groups. Screens and actions come first if the text is empty or their name begins with it, else last. Tools
 * come before services, unless a service's name contains the text.
 */
function groupsOf(
  q: string,
  found: Found | undefined,
  { screens, parts, actions }: PaletteCommands,
  navigate: Navigate,
): CommandGroup[] {
  const asked = q.toLowerCase();
  const all = q !== '' && found?.servers.length ? [allResults(q, navigate)] : [];
  const servers = { label: 'Services', items: [...serversOf(found, navigate), ...all] };
  const tools = { label: 'Tools', items: toolsOf(found, navigate) };
  const own = [
    { label: 'Screens', items: matching(asked, q === '' ? screens : [...screens, ...parts]) },
    { label: 'Actions', items: matching(asked, actions) },
  ];
  const isNamed = found?.servers.some(({ displayName }) => displayName.toLowerCase().includes(asked));
  const others = isNamed || q === '' ? [servers, tools] : [tools, servers];
  const isOwn = !isNamed && own.some(({ items }) => items.some(({ label }) => isCalled(label, asked)));
  const groups = q === '' || isOwn ? [...own, ...others] : [...others, ...own];
  return groups.filter(({ items }) => items.length > 0);
}

const wordsOf = (text: string) => text.split(' ').filter((word) => word !== '');

/**
 * Returns whether a name begins with the first word of the text and has the others: "delete acc" for "Delete your
 * account".
 */
function isCalled(label: string, asked: string): boolean {
  const named = wordsOf(label.toLowerCase());
  const [first = '', ...others] = wordsOf(asked);
  return named[0]?.startsWith(first) === true && others.every((word) => named.some((one) => one.startsWith(word)));
}

function matching(asked: string, commands: readonly PaletteCommand[]): PaletteCommand[] {
  const words = wordsOf(asked);
  return commands.filter(({ label, detail = '', words: others = '' }) => {
    const text = `${label} ${detail} ${others}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
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
