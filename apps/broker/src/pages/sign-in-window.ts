import { renderPage } from '#platform/http/answers/page.ts';

/** Renders the page of a sign-in window until its opener redirects it to the sign-in. */
export function renderSignInWindow(brandName: string): string {
  return renderPage({
    title: 'Sign in',
    brandName,
    body: `<section class="card">
<h1>Opening the sign-in page…</h1>
<p>If it doesn't open, close this window and try again.</p>
</section>`,
  });
}
