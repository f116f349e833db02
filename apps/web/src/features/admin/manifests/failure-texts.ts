import { failureText } from '#web/texts/failure-text.ts';

/** What administrators do with manifests: the specification's {action} and {verb}, and undeploy. Deploy-all says deploy. */
export type ManifestAction = 'delete' | 'deploy' | 'undeploy' | 'reload' | 'upload';

/** The broker, or the client before it asks, refuses who is not signed in as an administrator. */
const isOfAccess = (message: string) => message.includes('Authentication') || message.includes('Access denied');

/**
 * What is shown when the list of manifests cannot be loaded (spec part 2, section 8).
 * @returns the specification's text, and the reason where the text leaves it out
 */
export function listFailure(error: unknown): { title: string; reason: string | undefined } {
  const message = failureText(error);
  if (isOfAccess(message)) {
    return {
      title: 'Authentication required. Please ensure you are logged in as an administrator.',
      reason: undefined,
    };
  }
  return { title: 'Failed to load manifests', reason: message };
}

/** The same for what is loaded before an action. */
export const describeAction = (action: ManifestAction) => (error: unknown) => ({ title: actionFailure(action, error) });

/** What is shown when an action on manifests fails (spec part 2, section 8). */
export function actionFailure(action: ManifestAction, error: unknown): string {
  const message = failureText(error);
  return isOfAccess(message)
    ? `Authentication required. Please log in as an administrator to ${action} manifests.`
    : `Failed to ${action} manifest: ${message}`;
}
