import type { ReactNode } from 'react';
import { Tabs } from '#ui/tabs.tsx';
import { connectionParts, partLabels, type ConnectionPart } from '../dashboard-tabs.ts';

export type ConnectionPartsProps = {
  part: ConnectionPart;
  onPartChange: (part: ConnectionPart) => void;
  content: (part: ConnectionPart) => ReactNode;
};

export function ConnectionParts({ part, onPartChange, content }: ConnectionPartsProps) {
  return (
    <Tabs
      look="parts"
      label="Connections"
      value={part}
      onChange={onPartChange}
      items={connectionParts.map((value) => ({
        value,
        label: partLabels[value],
        content: value === part && content(value),
      }))}
    />
  );
}
