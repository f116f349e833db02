import type { GatewayOptions } from './create-parts.ts';
import type { RunningCalls } from './call/running-calls.ts';
import type { McpEndpoint } from './protocol/mcp-endpoint.ts';
import { notifyReplicasFirst } from './replicas/notify-replicas-first.ts';
import type { ToolRuns } from './tool-runs/create-tool-runs.ts';
import { changedFor, changesOf } from './view/list-changes.ts';
import type { PersonalView } from './view/personal-view.ts';

type Followed = Pick<GatewayOptions, 'identity' | 'catalogue' | 'preferences' | 'billing' | 'log'>;

/**
 * Notifies clients of changed lists, and ends what runs for revoked tokens and deactivated users.
 * @returns a function that stops it
 */
export function followChanges(
  { identity, catalogue, preferences, billing, log }: Followed,
  parts: {
    view: PersonalView;
    runningCalls: RunningCalls;
    runs: ToolRuns;
    endpoint: McpEndpoint;
    hasReplicas: boolean;
  },
): () => void {
  const { runningCalls, runs, endpoint } = parts;
  const replicas = parts.hasReplicas ? notifyReplicasFirst(endpoint.notifyListChanged) : undefined;
  const listsChanged = replicas?.listsChanged ?? endpoint.notifyListChanged;

  function endForUser(userId: string): void {
    runs.endForUser(userId);
    runningCalls.shutOut(userId);
  }

  async function endForShutOut(): Promise<void> {
    for (const userId of await identity.users.findShutOut(runningCalls.users())) endForUser(userId);
  }

  const stops = [
    catalogue.onChange((_, servers, before) => {
      const changes = changesOf(servers, before, parts.view);
      if (changes) listsChanged(changes);
    }),
    preferences.onChange((userId) => listsChanged(changedFor(userId))),
    billing.access.onChange((userId) => listsChanged(changedFor(userId))),
    () => replicas?.stop(),
    identity.onRevoked(({ tokenId }) => {
      runs.endForToken(tokenId);
      endpoint.endForToken(tokenId);
    }),
    identity.followTokens(() => endpoint.tokensOfStreams()),
    identity.onPersonChanged((person) => {
      if (person?.change === 'let in') runningCalls.letIn(person.userId);
      else if (person) endForUser(person.userId);
      // notices may have been missed: every user with running calls is looked up
      else
        void endForShutOut().catch((error: unknown) =>
          log.warn({ err: error }, 'the users who were shut out could not be read'),
        );
    }),
  ];
  return () => stops.forEach((stop) => stop());
}
