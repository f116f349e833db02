import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/**
 * The broker that `npm run dev` talks to: start it beside this, with PUBLIC_URL=http://localhost:5173. Host goes through
 * as it is, since the broker answers to its public address alone.
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

/** A page's first HTML shows its content: the program must not take the network from its style and its font. */
const programLast = {
  name: 'program-last',
  transformIndexHtml: { order: 'post' as const, handler: (html: string) => html.replaceAll(first, low) },
};
const first = '<script type="module" ';
const low = `${first}fetchpriority="low" `;

/** Small parts that screens of the shop share with others: each by itself costs a kilobyte of headers. */
const ofShop =
  /src\/(ui\/(text\/(search-text|moment)|pagination|overlay\/dialog|picture\/uptime-days)|loading\/load-error)\.tsx|icons\/(chevron-left|chevron-right|arrow-left|sliders-horizontal)\.|src\/(loading\/server-query|features\/catalogue\/service\/service-of|billing\/credit-worth)\.ts$|\/useQueries\.js$/;

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), tailwindcss(), programLast],
  build: {
    target: 'es2022',
    // the content security policy allows no inline script and no data: font
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    outDir: 'dist',
    emptyOutDir: true,
    sourcemap: false,
    // one file for all that the first screen needs: each of twenty costs headers, and compresses by itself
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: 'first', tags: ['$initial'], priority: 1 },
            { name: 'shop', test: ofShop },
          ],
        },
      },
    },
  },
  server: { proxy: Object.fromEntries(brokerPaths.map((path) => [path, { target: broker, changeOrigin: false }])) },
});
