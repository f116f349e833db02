/** A browser that is driven by its engine's own protocol. What a person does in it is in person.ts. */
export type Engine = {
  open(url: string): Promise<void>;
  /** Runs a function in the page, which must need nothing of its surroundings; arguments and answer are JSON. */
  evaluate<Given extends unknown[], Answer>(work: (...given: Given) => Answer, ...given: Given): Promise<Answer>;
  /** Clicks what a function finds in the page, as a pointer does. @returns false when it finds nothing */
  clickFound<Given extends unknown[]>(find: (...given: Given) => Element | null, ...given: Given): Promise<boolean>;
  /** Whether a function finds something in the page. */
  finds<Given extends unknown[]>(find: (...given: Given) => Element | null, ...given: Given): Promise<boolean>;
  /** Presses the keys one after the other; `held` stays down meanwhile. */
  press(keys: readonly string[], held?: string): Promise<void>;
  windows(): Promise<string[]>;
  /** Everything from now on happens in this window. */
  switchTo(window: string): Promise<void>;
  close(): Promise<void>;
};

/** Keys that are no text (WebDriver, section 17.4.2). */
export const keys = { enter: '\uE007', escape: '\uE00C', control: '\uE009' } as const;

/** The keys as a source of actions, which both protocols take in the same form. */
export function keyActions(keys: readonly string[], held?: string): object {
  const each = keys.flatMap((value) => [
    { type: 'keyDown', value },
    { type: 'keyUp', value },
  ]);
  const around = (type: string) => (held === undefined ? [] : [{ type, value: held }]);
  return { type: 'key', id: 'keyboard', actions: [...around('keyDown'), ...each, ...around('keyUp')] };
}
