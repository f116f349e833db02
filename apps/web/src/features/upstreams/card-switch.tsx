import { useQuery } from '@tanstack/react-query';
import { Switch } from '#ui/switch.tsx';
import { OtherWindowHint } from './other-window-hint.tsx';
import { SignInProblem } from './sign-in-problem.tsx';
import { upstreamConnectionsQuery } from './upstreams-api.ts';
import { useServerToggle } from './use-server-toggle.ts';

export type CardSwitchProps = {
  userId: string;
  service: { id: string; name: string; enabled: boolean };
  /** Without it there is nothing to switch on. */
  hasAccess: boolean;
};

/** The switch of a service on its card, where many stand side by side. */
export function CardSwitch({ userId, service: { id: serverId, name, enabled }, hasAccess }: CardSwitchProps) {
  const { data } = useQuery(upstreamConnectionsQuery(userId));
  const account = data?.connections.find((connection) => connection.serverId === serverId);
  const needsSignIn = account?.auth === 'oauth' && account.state !== 'signed-in';
  const { isOn, isWindowOpen, press, failure, onContinue } = useServerToggle({
    userId,
    serverId,
    enabled,
    needsSignIn,
  });
  return (
    <>
      <Switch
        label={
          <>
            Enable<span className="sr-only"> {name}</span>
          </>
        }
        checked={isOn}
        onChange={press}
        disabled={!hasAccess}
      />
      <OtherWindowHint isOpen={isWindowOpen} />
      {failure !== undefined && (
        // below the row of buttons, over the whole card
        <div className="order-last w-full">
          <SignInProblem text={failure} onContinue={onContinue} />
        </div>
      )}
    </>
  );
}
