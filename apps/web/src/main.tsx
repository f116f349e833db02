import './no-compiled-schemas.ts';
import './styles.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { router } from './router.tsx';

const root = document.querySelector('#root');
if (!root) throw new Error('index.html has no #root');
// The page as the broker sent it stays until the first screen can take its place at once; what fails here, the router shows.
// Not awaited at the top: the screens are modules that import this one.
void router
  .load()
  .catch(() => {})
  .then(() =>
    createRoot(root).render(
      <StrictMode>
        <App />
      </StrictMode>,
    ),
  );
