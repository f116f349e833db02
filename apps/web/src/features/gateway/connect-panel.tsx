import { useState } from 'react';
import { Card } from '#ui/card.tsx';
import { CopyField } from '#ui/copy-field.tsx';
import { Tabs } from '#ui/tabs.tsx';
import { ClientMark } from '#web/client-mark.tsx';
import { config } from '#web/config.ts';
import { possessive } from '#web/possessive.ts';
import { readChosenClient, storeChosenClient } from './chosen-client.ts';
import { clientForms, connectTarget, isLocal, type ConnectTarget } from './client-forms.ts';
import { ClientInstructions } from './client-instructions.tsx';
import { FirstCallStatus } from './first-call-status.tsx';

export type ConnectPanelProps = {
  /** One service's own link; without it the all-servers link. */
  service?: { id: string; name: string } | undefined;
  /** The signed-in person; visitors see no first-call status. */
  userId?: string | undefined;
};

/** The link, how each client takes it, and whether a call has arrived. Serves home, service page and dashboard. */
export function ConnectPanel({ service, userId }: ConnectPanelProps) {
  const target = connectTarget(config, service);
  return (
    <Card padding="none" className="overflow-hidden">
      <div className="p-4 sm:p-5">
        <CopyField
          label={service ? `${possessive(service.name)} link` : 'Your link'}
          value={target.link}
          hint={
            service
              ? `Only ${possessive(service.name)} tools, with their original names.`
              : userId === undefined
                ? 'Opens all the services you switch on.'
                : "All the servers you've enabled."
          }
          primary
        />
      </div>
      <ClientTabs target={target} />
      {userId !== undefined && <FirstCallStatus userId={userId} serverId={service?.id} />}
    </Card>
  );
}

/** All clients are visible: eleven short names, wrapped rather than scrolled. */
function ClientTabs({ target }: { target: ConnectTarget }) {
  const forms = clientForms(target);
  // a client that calls from the internet cannot reach a link on this machine: open on one that can
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
          label: (
            <span className="flex items-center gap-1.5">
              <ClientMark name={form.name} size={14} />
              {form.name}
            </span>
          ),
          content: <ClientInstructions form={form} link={target.link} />,
        }))}
      />
    </div>
  );
}
