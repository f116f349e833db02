/** A browser that is driven by its engine's own protocol. The actions of a user are in person.ts. */
export type Engine = {
  open(url: string): Promise<void>;
  /** Runs a function in the page. It must not use its surroundings; arguments and result are JSON. */
  evaluate<Given extends unknown[], Answer>(work: (...given: Given) => Answer, ...given: Given): Promise<Answer>;
  /**
   * Clicks the element that a function finds in the page, like a pointer.
   * @returns false if it finds nothing
   */
  clickFound<Given extends unknown[]>(find: (...given: Given) => Element | null, ...given: Given): Promise<boolean>;
  finds<Given extends unknown[]>(find: (...given: Given) => Element | null, ...given: Given): Promise<boolean>;
  /** Presses the keys sequentially; `held` stays down meanwhile. */
  press(keys: readonly string[], held?: string): Promise<void>;
  windows(): Promise<string[]>;
  /** Acts in this window from now on. */
  switchTo(window: string): Promise<void>;
  close(): Promise<void>;
};

/** Keys without text (WebDriver, section 17.4.2). */
export const keys = { enter: '\uE007', escape: '\uE00C', control: '\uE009' } as const;

/** Returns the keys as a source of actions, in the form that both protocols share. */
export function keyActions(keys: readonly string[], held?: string): object {
  const each = keys.flatMap((value) => [
    { type: 'keyDown', value },
    { type: 'keyUp', value },
  ]);
  const around = (type: string) => (held === undefined ? [] : [{ type, value: held }]);
  return { type: 'key', id: 'keyboard', actions: [...around('keyDown'), ...each, ...around('keyUp')] };
}
