import { erasePerson, newPerson } from './administrator-calls.ts';
import { expectNoAxeFindings } from './axe-findings.ts';
import { payAndReturn } from './pay-with-card.ts';
import { expect, test } from './product-test.ts';
import { asPerson, openUsers, writesOf } from './users-page.ts';

// Money that administrators pay back, as they and the person who paid it see it. That of a server's deletion stands in
// admin-publish.spec.ts.

test.use({ reducedMotion: 'reduce' });

test('a rental that was paid is removed with a refund where the administrator chooses one, and its person finds it in their history', async ({
  page,
  product,
  browser,
}) => {
  const email = 'pays-and-goes@souk.test';
  const id = await newPerson(product.publicUrl, email);
  const person = await asPerson(browser, product.publicUrl, email, '/service/travel-pro?purchase=rental');
  await person.getByRole('dialog').getByRole('button', { name: 'Continue to payment', exact: true }).click();
  await payAndReturn(person);

  const writes = writesOf(page);
  await openUsers(page, `&user=${id}`);
  const details = page.getByRole('dialog').filter({ hasText: email });
  const rentals = details.getByRole('list', { name: 'Rentals', exact: true });
  await expect(rentals).toContainText(
    /Travel Pro.*travel-pro.*active.*monthly.*Paid.*Next charge: \$9 on \w+ \d+, \d{4}, \d{1,2}:\d\d\s[AP]M\./s,
  );
  await rentals.getByRole('button', { name: 'Remove Travel Pro', exact: true }).click();
  const remove = page.getByRole('alertdialog', { name: 'Remove Travel Pro?', exact: true });
  await expect(remove).toContainText('It is canceled at the payment provider too. This cannot be undone.');
  const refund = remove.getByRole('checkbox', { name: /^Refund \$(9\.00|8\.99)$/ });
  await expect(refund, 'nobody is paid back unasked').not.toBeChecked();
  const amount = (await remove.getByText(/^Refund \$/).innerText()).replace('Refund ', '');
  await refund.check();
  await expectNoAxeFindings(page);
  await remove.getByRole('button', { name: 'Remove rental', exact: true }).click();
  await expect(page.getByText(`The rental has ended. ${amount} was refunded.`)).toBeVisible();
  await expect(rentals).toHaveCount(0);
  expect(writes).toEqual([
    {
      call: 'DELETE /admin/users/:id/subscription/:id',
      body: { reason: 'Rental cancelled by admin', refund: 'prorata' },
    },
  ]);

  await person.goto('/dashboard?tab=billing');
  const history = person.getByRole('region', { name: 'Billing History', exact: true });
  await expect(history.getByRole('row').filter({ hasText: /refund/i })).toContainText(amount);
  await person.goto('/service/travel-pro');
  await expect(person.getByRole('region', { name: 'Use this service', exact: true })).toContainText('Purchase');
  await person.context().close();
  await erasePerson(product.publicUrl, id, email);
});
