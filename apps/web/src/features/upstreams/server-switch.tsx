import { Card } from '#ui/card.tsx';
import { Switch } from '#ui/switch.tsx';
import { BreakableName } from './breakable-name.tsx';
import { OtherWindowHint } from './other-window-hint.tsx';
import { SignInProblem } from './sign-in-problem.tsx';
import { useServerToggle, type ServerToggleOptions } from './use-server-toggle.ts';

export type ServerSwitchProps = ServerToggleOptions & { name: string };

/** The switch of a server on a page of its own, with what it means. */
export function ServerSwitch({ name, ...options }: ServerSwitchProps) {
  const { isOn, isPending, isWindowOpen, press, failure, onContinue } = useServerToggle(options);
  return (
    <Card as="section" className="flex flex-col gap-3 sm:px-5" aria-label="Switch" aria-busy={isPending}>
      <div className="flex flex-wrap items-center justify-between gap-3">
        <Switch label={<BreakableName name={`Use ${name}`} />} checked={isOn} onChange={press} />
        <span className="text-quiet">
          {isOn ? 'On: your assistants can use it through your link.' : "Off: your assistants can't use it."}
        </span>
      </div>
      <OtherWindowHint isOpen={isWindowOpen} />
      {failure !== undefined && <SignInProblem text={failure} onContinue={onContinue} />}
    </Card>
  );
}
