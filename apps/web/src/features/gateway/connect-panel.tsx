import { Tabs } from '@base-ui/react/tabs';
import { useState } from 'react';
import { Card } from '#ui/card.tsx';
import { CopyField } from '#ui/copy-field.tsx';
import { config } from '#web/config.ts';
import { readChosenClient, storeChosenClient } from './chosen-client.ts';
import { clientForms, connectTarget, isLocal, type ConnectTarget } from './client-forms.ts';
import { ClientInstructions } from './client-instructions.tsx';
import { FirstCallStatus } from './first-call-status.tsx';

export type ConnectPanelProps = {
  /** One service's own link; without it the link of everything. */
  service?: { id: string; name: string } | undefined;
  /** The signed-in person; without one nobody waits for a first call. */
  userId?: string | undefined;
};

/** The link, how each client takes it, and whether a call has arrived. Serves home, service page and dashboard. */
export function ConnectPanel({ service, userId }: ConnectPanelProps) {
  const target = connectTarget(config, service);
  return (
    <Card padding="none" className="overflow-hidden">
      <div className="p-4 sm:p-5">
        <CopyField
          label={service ? `Link of ${service.name}` : 'Your link'}
          value={target.link}
          hint={
            service
              ? `The tools of ${service.name} alone, under their own names.`
              : 'Every server that you may use and have switched on.'
          }
          primary
        />
      </div>
      <ClientTabs target={target} />
      {userId !== undefined && <FirstCallStatus userId={userId} serverId={service?.id} />}
    </Card>
  );
}

/** All clients in sight: eleven short names, wrapped rather than scrolled away. */
function ClientTabs({ target }: { target: ConnectTarget }) {
  const forms = clientForms(target);
  // a link on this machine is of no use to a client that calls from the internet: open on one that can reach it
  const first = forms.find(({ remote }) => !remote || !isLocal(target.link))?.id;
  const [chosen, setChosen] = useState(() => {
    const stored = readChosenClient();
    return forms.some(({ id }) => id === stored) ? stored : first;
  });
  const choose = (value: unknown) => {
    const form = forms.find(({ id }) => id === value);
    if (!form) return;
    setChosen(form.id);
    storeChosenClient(form.id);
  };
  return (
    <Tabs.Root value={chosen} onValueChange={choose} className="border-t border-line">
      <Tabs.List aria-label="Client" className="flex flex-wrap gap-1 border-b border-line bg-sunken/50 p-2 sm:px-3">
        {forms.map(({ id, name }) => (
          <Tabs.Tab
            key={id}
            value={id}
            className="h-8 rounded-md border border-transparent px-2.5 text-[0.8125rem] font-medium text-quiet transition-colors hover:text-text data-active:border-line data-active:bg-surface data-active:text-text"
          >
            {name}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {forms.map((form) => (
        <Tabs.Panel key={form.id} value={form.id} className="p-4 sm:p-5">
          <ClientInstructions form={form} link={target.link} />
        </Tabs.Panel>
      ))}
    </Tabs.Root>
  );
}
