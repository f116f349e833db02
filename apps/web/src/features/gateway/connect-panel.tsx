import { useState } from 'react';
import { Card } from '#ui/card.tsx';
import { CopyField } from '#ui/text/copy-field.tsx';
import { Tabs } from '#ui/tabs.tsx';
import { config } from '#web/config.ts';
import { possessive } from '#web/texts/possessive.ts';
import { readChosenClient, storeChosenClient } from './chosen-client.ts';
import { clientForms, connectTarget, isLocal, type ConnectTarget } from './client-forms.ts';
import { ClientInstructions } from './client-instructions.tsx';
import { FoldedOnPhone } from './folded-on-phone.tsx';
import { FirstCallStatus } from './first-call-status.tsx';

export type ConnectPanelProps = {
  /** A service's own link; without it, the all-servers link. */
  service?: { id: string; name: string } | undefined;
  /** Visitors see no first-call status. */
  userId?: string | undefined;
  /** On a phone, folds the setup of clients, which is longer than a screen. */
  isFolded?: boolean;
};

/** The link, its setup in each client, and whether a call has arrived. For home, service pages and the dashboard. */
export function ConnectPanel({ service, userId, isFolded = false }: ConnectPanelProps) {
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
                ? 'All the services you enable.'
                : "All the services you've enabled."
          }
          primary
        />
      </div>
      {isFolded ? (
        <FoldedOnPhone title="Set up a client">
          <ClientTabs target={target} />
        </FoldedOnPhone>
      ) : (
        <ClientTabs target={target} />
      )}
      {userId !== undefined && <FirstCallStatus userId={userId} serverId={service?.id} />}
    </Card>
  );
}

/** Shows all eleven clients: their short names wrap instead of scrolling. */
function ClientTabs({ target }: { target: ConnectTarget }) {
  const forms = clientForms(target);
  // if the link is on this machine, starts on a client that can reach it
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
