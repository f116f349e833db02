import { useState } from 'react';
import { Card } from '#ui/card.tsx';
import { CopyField } from '#ui/copy-field.tsx';
import { Tabs } from '#ui/tabs.tsx';
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
  const reachable = forms.find(({ remote }) => !remote || !isLocal(target.link));
  const [chosen, setChosen] = useState(() => {
    const stored = readChosenClient();
    return (forms.find(({ id }) => id === stored) ?? reachable)?.id ?? '';
  });
  const choose = (id: string) => {
    setChosen(id);
    storeChosenClient(id);
  };
  return (
    <div className="border-t border-line">
      <Tabs
        look="pills"
        label="Client"
        value={chosen}
        onChange={choose}
        items={forms.map((form) => ({
          value: form.id,
          label: form.name,
          content: <ClientInstructions form={form} link={target.link} />,
        }))}
      />
    </div>
  );
}
