/** A request that a test holds back. */
export type Hold = {
  /** Resolves when a request has reached this point. */
  readonly reached: Promise<void>;
  /** Lets the request continue, even if its client has given up by now. */
  release(): void;
};

type When = 'before' | 'after';

/** Creates the requests that a test holds back, each once. */
export function createHolds() {
  const holds: {
    request: string;
    when: When;
    reached: PromiseWithResolvers<void>;
    released: PromiseWithResolvers<void>;
  }[] = [];
  return {
    /** @param request such as `POST /v1/refunds` */
    hold(request: string, when: When): Hold {
      const one = { request, when, reached: Promise.withResolvers<void>(), released: Promise.withResolvers<void>() };
      holds.push(one);
      return { reached: one.reached.promise, release: () => one.released.resolve() };
    },
    /** Resolves when a request may continue. */
    async pass(request: string, when: When): Promise<void> {
      const index = holds.findIndex((one) => one.request === request && one.when === when);
      const [one] = index === -1 ? [] : holds.splice(index, 1);
      one?.reached.resolve();
      await one?.released.promise;
    },
  };
}
