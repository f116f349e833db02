/**
 * Screens of the web app. The broker serves the app for these paths, and with a 404 for all others. `:name` is one path
 * segment.
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
 * First page of a sign-in window. The broker serves it and allows any opener, because WebKit severs a window from its opener
 * if it navigates from an empty page to another site.
 */
export const signInWindowPath = '/sign-in/window';

/** Browser storage key of the chosen theme, `light` or `dark`, which the broker's own pages use too. */
export const themeStorageKey = 'souk.theme';

/**
 * Data attribute of the page: `asked` if cmd-K or ctrl-K was pressed before the web app ran, which then opens its palette;
 * `ready` once the app handles the keys.
 */
export const paletteMark = 'palette';
