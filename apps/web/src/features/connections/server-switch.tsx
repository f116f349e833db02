import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Card } from '#ui/card.tsx';
import { Notice } from '#ui/notice.tsx';
import { Switch } from '#ui/switch.tsx';
import { BreakableName } from './breakable-name.tsx';
import { connectionsApi, upstreamKey } from './connections-api.ts';
import { enableWithSignIn } from './enable-with-sign-in.ts';
import { signInAtServer } from './sign-in-window.ts';
import { disableFailure } from './toggle-texts.ts';

export type ServerSwitchProps = { userId: string; serverId: string; name: string; enabled: boolean };

/** Switches a server on or off for this person; switching on may lead through a sign-in. A failure puts it back. */
export function ServerSwitch({ userId, serverId, name, enabled }: ServerSwitchProps) {
  const queries = useQueryClient();
  const [failure, setFailure] = useState<string>();
  const change = useMutation({
    mutationFn: (on: boolean) => (on ? enable(serverId) : disable(serverId)),
    onMutate: () => setFailure(undefined),
    onSuccess: setFailure,
    onSettled: () => queries.invalidateQueries({ queryKey: upstreamKey(userId) }),
  });
  const shown = change.isPending ? change.variables : enabled;
  return (
    <Card as="section" className="flex flex-col gap-3" aria-label="Switch">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <Switch
          label={<BreakableName name={`Use ${name}`} />}
          checked={shown}
          onChange={(on) => !change.isPending && change.mutate(on)}
        />
        <span className="text-quiet">{shown ? 'Its tools are in your link.' : 'Its tools are not in your link.'}</span>
      </div>
      {failure !== undefined && <Notice tone="bad">{failure}</Notice>}
    </Card>
  );
}

function enable(serverId: string): Promise<string | undefined> {
  return enableWithSignIn({
    enable: () => connectionsApi.enableServer({ params: { serverId } }),
    signIn: signInAtServer,
    // oxlint-disable-next-line no-console -- a timeout is only logged (spec part 2, section 4)
    log: (message) => console.warn(message),
  });
}

async function disable(serverId: string): Promise<string | undefined> {
  try {
    const { success, message } = await connectionsApi.disableServer({ params: { serverId } });
    return success ? undefined : message || disableFailure(undefined);
  } catch (error) {
    return disableFailure(error);
  }
}
