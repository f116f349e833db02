import { administratorCalls, deleteServers, erasePerson, newPerson } from './administrator-calls.ts';
import { manifest, openManifests, rowOf } from './manifests-page.ts';
import { expect, test } from './product-test.ts';
import { namesOn, titleOf } from './shop-page.ts';
import { openSignedIn } from './sign-in.ts';
import { openUsers, rowOf as userRowOf } from './users-page.ts';

// Values in an address are text, also if they look like a boolean or a number.

test.use({ reducedMotion: 'reduce' });
test.afterEach(({ product }) => deleteServers(product.publicUrl, ['true', '2026']));

test('the status filter of the users shows only users of that status, chosen or opened by its address', async ({
  page,
  product,
}) => {
  const [active, inactive] = ['status-on@souk.test', 'status-off@souk.test'] as const;
  const ids = [await newPerson(product.publicUrl, active), await newPerson(product.publicUrl, inactive)] as const;
  const calls = await administratorCalls(product.publicUrl);
  await calls.deactivateUser({ params: { id: ids[1] }, body: {} });
  await openUsers(page, '&all=status-');
  await expect(userRowOf(page, active)).toBeVisible();
  await expect(userRowOf(page, inactive)).toBeVisible();
  const status = page.getByLabel('Status', { exact: true });
  await status.selectOption('Inactive');
  await expect(userRowOf(page, active)).toHaveCount(0);
  await expect(userRowOf(page, inactive)).toBeVisible();
  await expect(page).toHaveURL(/active=false/);
  await page.reload();
  await expect(userRowOf(page, inactive)).toBeVisible();
  await expect(userRowOf(page, active)).toHaveCount(0);
  await expect(status).toHaveValue('false');
  await status.selectOption('Active');
  await expect(userRowOf(page, active)).toBeVisible();
  await expect(userRowOf(page, inactive)).toHaveCount(0);
  await erasePerson(product.publicUrl, ids[0], active);
  await erasePerson(product.publicUrl, ids[1], inactive);
});

test('servers called true and 2026 have their pages, and the search finds them by these names', async ({
  page,
  product,
}) => {
  const calls = await administratorCalls(product.publicUrl);
  for (const id of ['true', '2026']) {
    const text = manifest({ id, name: `Named ${id}` });
    await calls.createManifest({ query: {}, body: JSON.stringify(text) });
    await calls.deployManifest({ params: { id }, body: {} });
  }
  await openManifests(page);
  for (const id of ['true', '2026']) {
    await page.goto(`/admin?tab=manifests&id=${id}`);
    await expect(page.getByRole('heading', { level: 2, name: `Named ${id}`, exact: true })).toBeVisible();
    await page.goto(`/admin?q=${id}`);
    await expect(rowOf(page, `Named ${id}`)).toBeVisible();
    await expect(rowOf(page, 'Travel'), 'it is searched for').toHaveCount(0);
    await page.goto(`/service/${id}`);
    await expect(page.getByRole('heading', { level: 1, name: `Named ${id}`, exact: true })).toBeVisible();
  }
});

test('My Services and the marketplace search for true', async ({ page, product }) => {
  const calls = await administratorCalls(product.publicUrl);
  await calls.createManifest({ query: {}, body: JSON.stringify(manifest({ id: 'true', name: 'Named true' })) });
  await calls.deployManifest({ params: { id: 'true' }, body: {} });
  await openSignedIn(page, '/dashboard?tab=services&q=true', 'searches-true@souk.test');
  await expect(page.getByRole('searchbox', { name: 'Search my services', exact: true })).toHaveValue('true');
  await expect(namesOn(page)).toHaveText(['Named true']);
  await page.goto('/marketplace?q=true');
  await expect(titleOf(page)).toHaveText('Search results for "true"');
  await expect(namesOn(page)).toHaveText(['Named true']);
});
