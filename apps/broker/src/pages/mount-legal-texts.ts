import { getLegalText } from '@souk/contract/legal.ts';
import { SoukError } from '#platform/errors.ts';
import type { Router } from '#platform/http/router.ts';
import type { LegalTexts } from './legal-texts.ts';

/** Serves the operator's texts to the web app. */
export function mountLegalTexts(router: Router, texts: LegalTexts): void {
  router.route(getLegalText, ({ params: { page } }) => {
    const text = texts.get(page);
    if (!text) throw new SoukError('not_found');
    return { success: true as const, page, ...text };
  });
}
