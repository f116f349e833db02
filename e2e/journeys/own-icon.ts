import { expect, type Page } from '@playwright/test';

/** The page names an icon that its own policy lets the browser show, so that it asks for no /favicon.ico. */
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
