import { startSandbox, type SandboxOptions, type StripeSandbox } from '../create-sandbox.ts';
import { createControlPlane, type ControlPlane } from './control-plane.ts';

export type { ControlPlane } from './control-plane.ts';
export type { Hold } from './holds.ts';
export { payOnPage, type PageResult } from './pay-on-page.ts';

/** Creates a sandbox whose webhooks and disputes a test controls. */
export async function createControlledSandbox(
  options: SandboxOptions,
): Promise<StripeSandbox & { control: ControlPlane }> {
  const { sandbox, inside } = await startSandbox(options);
  return { ...sandbox, control: createControlPlane(inside) };
}
