import { rm } from 'node:fs/promises';
import { expect, type Browser, type BrowserContext, type Page } from '@playwright/test';
import {
  companyClient,
  startCompanyProvider,
  type CompanyProvider,
} from '../../apps/broker/src/features/identity/testing/company-provider.ts';
import { ProviderBrowser } from '../../apps/broker/src/features/identity/testing/provider-browser.ts';
import { freePort, newDataDir, startProduct, type Product } from '../product.ts';
import { accountMenu, requestIn } from './sign-in.ts';

const personNamed = (name: string) => ({
  sub: `acme-${name}`,
  email: `${name}@acme.test`,
  name,
  email_verified: true,
});

export type CompanyProduct = {
  product: Product;
  company: CompanyProvider;
  /** Signs a user in without a page: name@acme.test. @returns their access token */
  tokenOf(name: string): Promise<string>;
  /** Opens the home page before a sign-in; at the company the visitor is this user. */
  visitorNamed(name: string): Promise<Page>;
  /** Opens a screen for a user whose sign-in at the company is this old. The requests of a sign-in render no page. */
  pageOf(name: string, path: string, signedInAgoSeconds?: number): Promise<Page>;
  /** Closes all pages: open ones keep polling. */
  closePages(): Promise<void>;
  close(): Promise<void>;
};

/**
 * Starts a product whose users sign in at their company, which dates their sign-ins. Ana is its administrator. @param
 * more variables
 */
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
  const contexts: BrowserContext[] = [];
  async function contextOf(name: string, signedInAgoSeconds = 0): Promise<BrowserContext> {
    company.person = personNamed(name);
    company.signedInAgoSeconds = signedInAgoSeconds;
    const context = await browser.newContext({ baseURL: product.publicUrl, reducedMotion: 'reduce' });
    contexts.push(context);
    return context;
  }
  async function closePages(): Promise<void> {
    for (const context of contexts.splice(0)) await context.close();
  }
  return {
    product,
    company,
    async tokenOf(name) {
      company.person = personNamed(name);
      company.signedInAgoSeconds = 0;
      const own = new ProviderBrowser(product.publicUrl, company.issuer);
      return (await own.signInWeb({ provider: 'oidc' })).accessToken;
    },
    async visitorNamed(name) {
      const page = await (await contextOf(name)).newPage();
      await page.goto('/');
      return page;
    },
    async pageOf(name, path, signedInAgoSeconds) {
      const context = await contextOf(name, signedInAgoSeconds);
      await new CompanyBrowser(product.publicUrl, company.issuer, context).signInWeb({ provider: 'oidc' });
      const page = await context.newPage();
      await page.goto(path);
      await expect(accountMenu(page)).toBeVisible();
      return page;
    },
    closePages,
    async close() {
      await closePages();
      await product.kill('SIGTERM');
      await company.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** A browser that uses the cookies of a context. */
class CompanyBrowser extends ProviderBrowser {
  readonly #context: BrowserContext;

  constructor(publicUrl: string, issuer: string, context: BrowserContext) {
    super(publicUrl, issuer);
    this.#context = context;
  }

  override async request(url: string | URL, init?: RequestInit): Promise<Response> {
    return requestIn(this.#context, new URL(url, this.publicUrl), init);
  }
}
