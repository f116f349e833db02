import { UpstreamError } from '#adapters/mcp/upstream-error.ts';
import type { Catalogue } from '#features/catalogue/index.ts';
import type { Upstreams } from '#features/upstreams/index.ts';
import type { Log } from '#platform/log.ts';
import { Backoff } from '#platform/work/backoff.ts';
import type { Links } from '../../call/present-failure.ts';
import { findResource, type FoundResource } from '../../view/find-resource.ts';
import type { PersonalView } from '../../view/personal-view.ts';
import type { RequestContext } from '../../view/request-context.ts';
import { visibleTo } from '../../view/visible.ts';

export type SubscriptionParts = Links & {
  catalogue: Pick<Catalogue, 'snapshot'>;
  view: PersonalView;
  pool: Upstreams['pool'];
  log: Log;
};

/** A client's subscription to a resource: not begun, watching, waiting for the next attempt, or ended. */
export class Subscription {
  readonly #context: RequestContext;
  readonly #address: string;
  readonly #onUpdated: () => void;
  readonly #parts: SubscriptionParts;
  readonly #backoff = new Backoff();
  #isOver = false;
  #stopWatching = () => {};
  #timer: NodeJS.Timeout | undefined;

  constructor(context: RequestContext, address: string, onUpdated: () => void, parts: SubscriptionParts) {
    this.#context = context;
    this.#address = address;
    this.#onUpdated = onUpdated;
    this.#parts = parts;
  }

  get userId(): string {
    return this.#context.caller.userId;
  }

  async begin(resource: FoundResource): Promise<void> {
    const stop = await watch(this.#context, resource, this.#parts, {
      updated: () => void this.#reportUpdate(),
      ended: () => this.#retryLater(),
    });
    if (this.#isOver) stop();
    else this.#stopWatching = stop;
  }

  /** Begins with what the user sees now. Retries later if that fails. */
  async attempt(onBegun?: () => void): Promise<void> {
    try {
      const found = await this.#find();
      if (!found || this.#isOver) return;
      await this.begin(found);
      if (!this.#isOver) onBegun?.();
    } catch (error) {
      this.#parts.log.debug({ err: error, address: this.#address }, 'a subscription could not be renewed');
      this.#retryLater(onBegun);
    }
  }

  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#stopWatching();
  }

  #retryLater(onBegun?: () => void): void {
    if (!this.#isOver) this.#timer = setTimeout(() => void this.attempt(onBegun), this.#backoff.next()).unref();
  }

  async #reportUpdate(): Promise<void> {
    try {
      if ((await this.#find()) && !this.#isOver) this.#onUpdated();
    } catch (error) {
      this.#parts.log.debug({ err: error, address: this.#address }, 'a change of a resource could not be reported');
    }
  }

  /** The resource, if the user sees it now. Checked at every change: the user may have lost access. */
  async #find(): Promise<FoundResource | undefined> {
    const { catalogue, view } = this.#parts;
    return findResource(this.#context, await visibleTo(this.#context, catalogue.snapshot(), view), this.#address);
  }
}

/** Watches a resource at its server. @returns a function that stops it */
async function watch(
  context: RequestContext,
  found: FoundResource,
  { pool, log }: SubscriptionParts,
  on: { updated(): void; ended(): void },
): Promise<() => void> {
  const { userId } = context.caller;
  const use = await pool.acquire(found.server, userId, { capabilities: context.capabilities, own: true });
  const { upstream } = use;
  if (!upstream.capabilities.resources?.subscribe) {
    use.release();
    return () => {};
  }
  try {
    const stop = await upstream.watchResource(found.uri, {
      onUpdated: on.updated,
      onEnded() {
        use.release();
        on.ended();
      },
    });
    return () => {
      stop()
        .catch((error: unknown) => log.debug({ err: error }, 'an upstream could not be unsubscribed from'))
        .finally(use.release);
    };
  } catch (error) {
    // the next attempt must not get the same lost session
    if (error instanceof UpstreamError && error.hasLostSession) use.drop();
    use.release();
    throw error;
  }
}
