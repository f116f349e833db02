import { renderPage } from '#platform/http/answers/page.ts';

/** What a sign-in window shows until the page that opened it knows where the sign-in is, and sends it there. */
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
