import './loading/no-compiled-schemas.ts';
import './styles.css';
import { startTransition, StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { watchForMissingFiles } from './loading/missing-file.ts';
import { router } from './router.tsx';

const root = document.querySelector('#root');
if (!root) throw new Error('index.html has no #root');
watchForMissingFiles();
// The page as the broker sent it stays until the first screen can take its place at once; what fails here, the router shows.
// Not awaited at the top: the screens are modules that import this one.
void router
  .load()
  .catch(() => {})
  .then(() =>
    // a transition is made in short tasks: a slow phone answers meanwhile
    startTransition(() =>
      createRoot(root).render(
        <StrictMode>
          <App />
        </StrictMode>,
      ),
    ),
  );
