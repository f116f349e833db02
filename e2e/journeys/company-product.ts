import { rm } from 'node:fs/promises';
import { expect, type Browser, type Page } from '@playwright/test';
import {
  companyClient,
  startCompanyProvider,
  type CompanyProvider,
} from '../../apps/broker/src/features/identity/testing/company-provider.ts';
import { ProviderBrowser } from '../../apps/broker/src/features/identity/testing/provider-browser.ts';
import { freePort, newDataDir, startProduct, type Product } from '../product.ts';
import { accountMenu } from './sign-in.ts';

const personNamed = (name: string) => ({
  sub: `acme-${name}`,
  email: `${name}@acme.test`,
  name,
  email_verified: true,
});

export type CompanyProduct = {
  product: Product;
  company: CompanyProvider;
  /** Signs a person in without a page: name@acme.test. @returns their access token */
  tokenOf(name: string): Promise<string>;
  /** A page on which a person has signed in at the company as long ago as that. */
  pageOf(name: string, signedInAgoSeconds?: number): Promise<Page>;
  close(): Promise<void>;
};

/** A product whose people sign in at their company, which dates their sign-ins. Ana is its administrator. @param more variables */
export async function startCompanyProduct(browser: Browser, more: NodeJS.ProcessEnv = {}): Promise<CompanyProduct> {
  const [port, dataDir] = [await freePort(), await newDataDir()];
  const company = await startCompanyProvider([`http://localhost:${port}/auth/oidc/callback`]);
  const product = await startProduct({
    port,
    dataDir,
    env: {
      BUNDLED_CATALOGUE: 'off',
      ADMIN_EMAILS: 'ana@acme.test',
      OIDC_ISSUER: company.issuer,
      OIDC_CLIENT_ID: companyClient.clientId,
      OIDC_CLIENT_SECRET: companyClient.clientSecret,
      OIDC_NAME: 'Acme',
      ...more,
    },
  });
  const contexts: Awaited<ReturnType<Browser['newContext']>>[] = [];
  return {
    product,
    company,
    async tokenOf(name) {
      company.person = personNamed(name);
      company.signedInAgoSeconds = 0;
      const own = new ProviderBrowser(product.publicUrl, company.issuer);
      return (await own.signInWeb({ provider: 'oidc' })).accessToken;
    },
    async pageOf(name, signedInAgoSeconds = 0) {
      company.person = personNamed(name);
      company.signedInAgoSeconds = signedInAgoSeconds;
      const context = await browser.newContext({ baseURL: product.publicUrl, reducedMotion: 'reduce' });
      contexts.push(context);
      const page = await context.newPage();
      await page.goto('/');
      await page.getByRole('banner').getByRole('button', { name: 'Sign In', exact: true }).click();
      // the company knows who sits there, and asks nothing
      await page.getByRole('button', { name: 'Continue with Acme', exact: true }).click();
      await expect(accountMenu(page)).toBeVisible();
      return page;
    },
    async close() {
      for (const context of contexts) await context.close();
      await product.kill('SIGTERM');
      await company.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
