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
// The broker's HTML stays until the first screen is ready to replace it; the router shows what fails here. Not awaited
// at the top level, since the screens are modules that import this one.
void router
  .load()
  .catch(() => {})
  .then(() =>
    // a transition is rendered in short tasks, so that a slow phone responds in between
    startTransition(() =>
      createRoot(root).render(
        <StrictMode>
          <App />
        </StrictMode>,
      ),
    ),
  );
