/**
 * Screens that the web app has: the broker serves them, and answers 404 with the app's own page for everything else.
 * `:name` stands for one path segment.
 */
export const pagePaths = [
  '/',
  '/marketplace',
  '/search',
  '/service/:serviceId',
  '/dashboard',
  '/profile',
  '/admin',
  '/plans',
  '/prices',
  '/about',
  '/contact',
  '/terms',
  '/privacy',
  '/refunds',
  '/support',
  '/payment/result',
  '/purchase/success',
  '/sign-in',
  '/auth/callback',
  '/auth/success',
  '/auth-shim',
  '/connect/callback',
  '/connect/:serverId',
] as const;

/**
 * The page that a sign-in window shows first. It is the broker's own and allows any opener: WebKit cuts a window off from its
 * opener that goes from an empty page to another site.
 */
export const signInWindowPath = '/sign-in/window';

/** Where the web app keeps the chosen theme, `light` or `dark`, in the browser; the broker's own pages follow it. */
export const themeStorageKey = 'souk.theme';

/**
 * `data-palette` of the page: `asked` where cmd-K or ctrl-K was pressed before the web app ran, which then opens its palette;
 * `ready` once it hears the keys itself.
 */
export const paletteMark = 'palette';
