import { getAdminFigures, getAdminNeeds } from '@souk/contract/admin/overview.ts';
import { z } from 'zod';
import type { OperatorCommands } from '#platform/operator/operator-server.ts';
import type { App } from '../../app-types.ts';

export const overviewShownSchema = z.object({
  needs: getAdminNeeds.answer.omit({ success: true }),
  figures: getAdminFigures.answer.omit({ success: true }),
});

export function overviewCommand({ overview }: Pick<App, 'overview'>): OperatorCommands {
  return {
    async overview(): Promise<z.input<typeof overviewShownSchema>> {
      const [needs, figures] = await Promise.all([overview.needs(), overview.figures()]);
      return { needs, figures };
    },
  };
}
