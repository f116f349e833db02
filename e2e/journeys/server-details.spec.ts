import { expectNoAxeFindings } from './axe-findings.ts';
import { changeCatalogue, failCalls } from './catalogue-answer.ts';
import { expect, test } from './product-test.ts';

test('[SVC-14] [SVC-15] [SVC-16] the details dialog loads capabilities, health and tools, and says which are missing', async ({
  page,
}) => {
  const healthPath = '**/mcp/health';
  const travelPath = '**/api/catalogue/servers/travel';
  // the footer reads the health of the broker too: only a dialog without the server fails
  const heal = await failCalls(page, travelPath, { message: 'The stall is closed.' });
  await page.goto('/service/travel-pro');
  const details = page.getByRole('button', { name: 'Details of Travel', exact: true });
  const dialog = page.getByRole('dialog', { name: 'Travel', exact: true });
  await details.click();
  const error = dialog
    .getByRole('alert')
    .filter({ has: page.getByRole('heading', { name: 'Error Loading Details', exact: true }) });
  await expect(error).toContainText('The stall is closed.');
  await heal();
  const asked = page.waitForRequest(healthPath);
  await dialog.getByRole('button', { name: 'Retry', exact: true }).click();
  await asked;
  await expect(dialog).toContainText('Tools 7');
  await expect(dialog).toContainText(/Prompts 1\s*Resources 1/);
  const tools = dialog.getByRole('listitem');
  await expect(tools).toHaveCount(7);
  await expect(tools.filter({ hasText: 'Plan a round trip' })).toContainText('5 credits per call');
  await expectNoAxeFindings(page);
  await page.keyboard.press('Escape');
  await expect(dialog).toHaveCount(0);
  await expect(details).toBeFocused();

  // the dialog also loads the broker's own status, whose failure is shown in the dialog
  const healHealth = await failCalls(page, healthPath, { message: 'No pulse.' });
  await page.reload();
  await details.click();
  await expect(error).toContainText('No pulse.');
  await healHealth();
  await changeCatalogue(page, (catalogue) => ({
    ...catalogue,
    capabilities: catalogue.capabilities.filter(({ serverId }) => serverId !== 'travel'),
  }));
  await page.reload();
  await details.click();
  await expect(dialog.getByRole('heading', { name: 'No Tools Found', exact: true })).toBeVisible();
  // the number of tools is always shown, and empty kinds are left out
  await expect(dialog).toContainText('Tools');
  await expect(dialog).not.toContainText(/Prompts|Resources/);
});
