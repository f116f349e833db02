import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { getLegalText, legalPages, type LegalPage } from '@souk/contract/legal.ts';
import { ConfigError, type Config } from '#platform/config.ts';
import { SoukError } from '#platform/errors.ts';
import type { Router } from '#platform/http/router.ts';
import { codeOf } from '#platform/thrown.ts';

export type LegalText = { markdown: string; isDemo: boolean };
export type LegalTexts = ReadonlyMap<LegalPage, LegalText>;

const maxBytes = 200_000;

/**
 * Reads the operator's legal texts. The demo has its own, which are not shown by a shop that takes money or runs in
 * production. A page without a text does not exist.
 * @param demoFolder folder of the demo's texts
 * @throws ConfigError naming each variable whose file cannot be used
 */
export function readLegalTexts(
  { legalFiles, production, payments }: Pick<Config, 'legalFiles' | 'production' | 'payments'>,
  demoFolder: string,
): LegalTexts {
  const texts = new Map<LegalPage, LegalText>();
  const problems: string[] = [];
  const isDemo = !production && payments === 'sandbox';
  for (const page of legalPages) {
    const own = legalFiles[page];
    if (own === undefined && !isDemo) continue;
    const read = readText(own ?? join(demoFolder, `${page}.md`));
    if ('problem' in read) problems.push(`${page.toUpperCase()}_FILE: ${read.problem}`);
    else texts.set(page, { markdown: read.text, isDemo: own === undefined });
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return texts;
}

function readText(file: string): { text: string } | { problem: string } {
  try {
    const { size } = statSync(file);
    if (size > maxBytes) return { problem: `${file} has ${size} bytes, but the limit is ${maxBytes}` };
    const text = new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file)).trim();
    return text === '' ? { problem: `${file} is empty` } : { text };
  } catch (error) {
    if (error instanceof TypeError) return { problem: `${file} is not UTF-8 text` };
    return { problem: `${file} cannot be read (${codeOf(error) ?? String(error)})` };
  }
}

const maxParagraphs = 500;

/** Returns a text as plain paragraphs for the first HTML, without Markdown marks. */
export function plainParagraphs(markdown: string): string[] {
  return markdown
    .split('\n')
    .map((line) =>
      line
        .trim()
        .replace(/^(#{1,6}|[-*>]) /, '')
        .replaceAll('**', '')
        .replaceAll('`', ''),
    )
    .filter((line) => line !== '')
    .slice(0, maxParagraphs);
}

export function mountLegalTexts(router: Router, texts: LegalTexts): void {
  router.route(getLegalText, ({ params: { page } }) => {
    const text = texts.get(page);
    if (!text) throw new SoukError('not_found');
    return { success: true as const, page, ...text };
  });
}
