import { runSystemChecks, systemSchema, type System } from '@souk/contract/admin/system.ts';
import type { z } from 'zod';
import type { OperatorCommands } from '#platform/operator/operator-server.ts';
import type { App } from '../../app-types.ts';

export const shownSystemSchema = systemSchema;
export const systemCheckedSchema = runSystemChecks.answer.omit({ success: true });

export function systemCommand({ system }: Pick<App, 'system'>): OperatorCommands {
  return {
    'system.show': (): Promise<System> => system.read(),
    'system.check': async (): Promise<z.input<typeof systemCheckedSchema>> => {
      const { ranAt, checks } = await system.check();
      return { ranAt: ranAt.toISOString(), checks };
    },
  };
}
