import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type axe from 'axe-core';
import { expect, type Page } from '@playwright/test';

declare global {
  interface Window {
    axe?: typeof axe;
  }
}

const program = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Rules whose result depends on the colors: only these can differ between the themes. */
const ofColours = ['color-contrast', 'link-in-text-block'];

/**
 * Returns axe's findings on the current page, by rule, with the elements. Its program is long, so it is sent once per
 * document. Passed rules are not described.
 */
export async function axeFindings(page: Page, rules?: string[]): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(program);
  return page.evaluate(async (only) => {
    const { violations = [] } =
      (await window.axe?.run(document, { resultTypes: ['violations'], ...(only && { runOnly: only }) })) ?? {};
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`);
  }, rules);
}

/** Returns axe's findings in both themes. Leaves the page in the dark one. */
export async function axeFindingsInBothThemes(page: Page): Promise<string[]> {
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  const light = await axeFindings(page);
  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
  const dark = await axeFindings(page, ofColours);
  return [...light.map((finding) => `light ${finding}`), ...dark.map((finding) => `dark ${finding}`)];
}

/** Expects no finding of axe on the current page, in either theme. */
export async function expectNoAxeFindings(page: Page): Promise<void> {
  expect(await axeFindingsInBothThemes(page)).toEqual([]);
}
