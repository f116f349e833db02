import { expect, type Page } from '@playwright/test';

/** Expects that the page names an icon that its own policy allows, so that the browser requests no /favicon.ico. */
export async function expectOwnIcon(page: Page): Promise<void> {
  const icon = page.locator('link[rel="icon"]');
  await expect(icon).toHaveAttribute('href', /^data:image\/svg\+xml,/);
  const width = await icon.evaluate(async (link: HTMLLinkElement) => {
    const image = new Image();
    image.src = link.href;
    await image.decode().catch(() => {});
    return image.naturalWidth;
  });
  expect(width, 'the icon is shown').toBeGreaterThan(0);
}
