import { failureText } from '#web/texts/failure-text.ts';

/** The specification's {action} and {verb}, and undeploy. Deploy-all counts as deploy. */
export type ManifestAction = 'delete' | 'deploy' | 'undeploy' | 'reload' | 'upload';

/** Whether the call was refused because the user isn't signed in as an administrator. */
const isAccessFailure = (message: string) => message.includes('Authentication') || message.includes('Access denied');

/**
 * Describes why the list of manifests couldn't be loaded (spec part 2, section 8).
 * @returns the specification's text, and the reason if the text leaves it out
 */
export function listFailure(error: unknown): { title: string; reason: string | undefined } {
  const message = failureText(error);
  if (isAccessFailure(message)) {
    return {
      title: 'Authentication required. Please ensure you are logged in as an administrator.',
      reason: undefined,
    };
  }
  return { title: 'Failed to load manifests', reason: message };
}

/** Describes why the data for an action couldn't be loaded. */
export const describeAction = (action: ManifestAction) => (error: unknown) => ({ title: actionFailure(action, error) });

/** Returns the text of a failed action on manifests (spec part 2, section 8). */
export function actionFailure(action: ManifestAction, error: unknown): string {
  const message = failureText(error);
  return isAccessFailure(message)
    ? `Authentication required. Please log in as an administrator to ${action} manifests.`
    : `Failed to ${action} manifest: ${message}`;
}
