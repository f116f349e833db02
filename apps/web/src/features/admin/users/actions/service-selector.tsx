import { maxSearchLength } from '@souk/contract/catalogue/catalogue-search.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { formatCount } from '#ui/text/amount.ts';
import { Combobox, type ComboboxItem } from '#ui/form/combobox.tsx';
import { Field } from '#ui/form/field.tsx';
import { failureText } from '#web/texts/failure-text.ts';
import { servicesQuery } from '../user-queries.ts';

export type ServiceSelectorProps = {
  value: ComboboxItem | undefined;
  onChange: (service: ComboboxItem | undefined) => void;
};

/** Selects a deployed service. The broker searches, since there may be many. */
export function ServiceSelector({ value, onChange }: ServiceSelectorProps) {
  const [text, setText] = useState('');
  const { data, error, isPlaceholderData } = useQuery(servicesQuery(text.trim()));
  const items = (data?.servers ?? [])
    .map(({ serverId, displayName }) => ({ id: serverId, label: displayName, detail: serverId }))
    // until the broker answers, the items match an earlier text, and Enter would take the first one
    .filter((item) => !isPlaceholderData || hasText(item, text.trim()));
  const total = data?.pagination.total ?? 0;
  const status = () => {
    if (error) return failureText(error);
    if (!data || isPlaceholderData) return 'Searching…';
    if (total === 0) return 'No service matches.';
    return total > items.length ? `${items.length} of ${formatCount(total)}. Type to find more.` : undefined;
  };
  return (
    <Field label="Service" required>
      <Combobox
        value={value}
        onChange={onChange}
        items={items}
        onTextChange={setText}
        status={status()}
        placeholder="Search services"
        maxLength={maxSearchLength}
      />
    </Field>
  );
}

function hasText({ id, label }: ComboboxItem, text: string): boolean {
  return [id, label].some((name) => name.toLowerCase().includes(text.toLowerCase()));
}
