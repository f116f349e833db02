import { BrandMark } from './picture/brand-mark.tsx';
import { Button } from './button.tsx';
import { PageShell } from './page-shell.tsx';
import { ScreenHeading } from './text/screen-heading.tsx';
import { ScreenTitle } from './text/screen-title.tsx';
import { ThemeSwitch } from './theme-switch.tsx';
import { ToastProvider } from './overlay/toast.tsx';
import { VisuallyHidden } from './text/visually-hidden.tsx';
import { Buttons } from './gallery/buttons.tsx';
import { Badges } from './gallery/badges.tsx';
import { Cards } from './gallery/cards.tsx';
import { Fields } from './gallery/fields.tsx';
import { Overlays } from './gallery/overlays.tsx';
import { Lists } from './gallery/lists.tsx';
import { States } from './gallery/states.tsx';

/** Every component in its states on one page, for looking (development only). */
export function Gallery() {
  return (
    <ToastProvider>
      <ScreenTitle title="Kit" />
      <PageShell
        header={
          <header className="border-b border-line">
            <div className="mx-auto flex h-14 max-w-page items-center justify-between px-4 sm:px-6">
              <span className="flex items-center gap-2 font-semibold">
                <BrandMark /> Souk
              </span>
              <ThemeSwitch />
            </div>
          </header>
        }
      >
        <ScreenHeading
          title="The kit"
          subtitle="Every component in its states"
          actions={
            <Button>
              An action <VisuallyHidden>of this page</VisuallyHidden>
            </Button>
          }
        />
        <Buttons />
        <Badges />
        <Cards />
        <Fields />
        <Overlays />
        <Lists />
        <States />
      </PageShell>
    </ToastProvider>
  );
}
