import type { UpstreamAccount } from '@souk/contract/upstreams.ts';
import { Card } from '#ui/card.tsx';
import { Switch } from '#ui/form/switch.tsx';
import { BreakableName } from './breakable-name.tsx';
import { missingAccount, missingText } from './missing-account.ts';
import { OtherWindowHint } from './sign-in/other-window-hint.tsx';
import { SignInProblem } from './sign-in/sign-in-problem.tsx';
import { useServerToggle, type ServerToggleOptions } from './use-server-toggle.ts';

export type ServerSwitchProps = Omit<ServerToggleOptions, 'needsSignIn'> & {
  name: string;
  /** The user's account at the server; undefined if it needs none. */
  account: UpstreamAccount | undefined;
  isDown?: boolean | undefined;
};

/** The switch of a server on its own page, with its effect. */
export function ServerSwitch({ name, account, isDown = false, ...options }: ServerSwitchProps) {
  const missing = missingAccount(account);
  const { isOn, isPending, hint, press, failure, onContinue } = useServerToggle({
    ...options,
    needsSignIn: missing?.by === 'oauth',
  });
  return (
    <Card as="section" className="flex flex-col gap-3 sm:px-5" aria-label={`Use ${name}`} aria-busy={isPending}>
      <div className="flex flex-wrap items-center justify-between gap-3">
        <Switch label={<BreakableName name={`Use ${name}`} />} checked={isOn} onChange={press} />
        <span className="text-quiet">
          {!isOn
            ? "Off: your assistants can't use it."
            : missing
              ? `On, but your assistants can't use it until you ${missingText(name, missing)}.`
              : isDown
                ? `On, but calls to ${name} currently fail.`
                : 'On: your assistants can use it through your link.'}
        </span>
      </div>
      <OtherWindowHint text={hint} />
      {failure !== undefined && <SignInProblem text={failure} onContinue={onContinue} />}
    </Card>
  );
}
