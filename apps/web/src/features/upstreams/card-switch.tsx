import { Switch } from '#ui/form/switch.tsx';
import { useMissingAccounts } from './missing-account.ts';
import { OtherWindowHint } from './sign-in/other-window-hint.tsx';
import { SignInProblem } from './sign-in/sign-in-problem.tsx';
import { useServerToggle } from './use-server-toggle.ts';

export type CardSwitchProps = {
  userId: string;
  service: { id: string; name: string; enabled: boolean };
  hasAccess: boolean;
};

export function CardSwitch({ userId, service: { id: serverId, name, enabled }, hasAccess }: CardSwitchProps) {
  const needsSignIn = useMissingAccounts(userId).get(serverId)?.by === 'oauth';
  const { isOn, hint, press, failure, onContinue } = useServerToggle({
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
            {/* the visible label says the state; the accessible name stays the same */}
            <span aria-hidden>{isOn ? 'Enabled' : 'Enable'}</span>
            <span dir="auto" className="sr-only">
              Enable {name}
            </span>
          </>
        }
        checked={isOn}
        onChange={press}
        disabled={!hasAccess}
      />
      <div className="order-last w-full has-[p:empty]:hidden">
        <OtherWindowHint text={hint} />
      </div>
      {failure !== undefined && (
        // below the row of buttons, across the whole card
        <div className="order-last w-full">
          <SignInProblem text={failure} onContinue={onContinue} />
        </div>
      )}
    </>
  );
}
