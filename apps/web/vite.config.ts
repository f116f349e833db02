import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/**
 * The broker for `npm run dev`: start it separately, with PUBLIC_URL=http://localhost:5173. The Host header is passed
 * on unchanged, since the broker answers only to its public address.
 */
const broker = process.env['BROKER_URL'] ?? 'http://localhost:3000';
const brokerPaths = [
  '/mcp',
  '^/s/',
  '/api',
  '/v2',
  '/oauth',
  '/auth/pat',
  '/auth/google',
  '/login',
  '/sign-in/window',
  '/dev-google',
  '/dev-mail',
  '/docs/',
  '/openapi.json',
  '/unsubscribe',
  '/.well-known',
  '/admin/',
];

/** A page's first HTML shows its content, so the script must not compete with stylesheet and font for the network. */
const scriptLast = {
  name: 'script-last',
  transformIndexHtml: {
    order: 'post' as const,
    handler: (html: string) => html.replaceAll(moduleScript, `${moduleScript}fetchpriority="low" `),
  },
};
const moduleScript = '<script type="module" ';

/** Small modules that the shop's screens share: separate files would cost a kilobyte of headers. */
const shopModules =
  /src\/ui\/(text\/(search-text|moment)|pagination|overlay\/dialog|picture\/uptime-days)\.tsx|icons\/(chevron-left|chevron-right|arrow-left|sliders-horizontal)\.|src\/(loading\/server-query|features\/catalogue\/service\/service-of|billing\/credit-worth)\.ts$|\/useQueries\.js$/;

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), tailwindcss(), scriptLast],
  build: {
    target: 'es2022',
    // the content security policy allows no inline script and no data: font
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    outDir: 'dist',
    emptyOutDir: true,
    sourcemap: false,
    // one file for all that the first screen needs: twenty files would cost headers, and compress less well
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: 'first', tags: ['$initial'], priority: 1 },
            { name: 'shop', test: shopModules },
          ],
        },
      },
    },
  },
  server: { proxy: Object.fromEntries(brokerPaths.map((path) => [path, { target: broker, changeOrigin: false }])) },
});
