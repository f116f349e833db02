import type { ReactNode } from 'react';

type PageShellProps = { header?: ReactNode; footer?: ReactNode; children: ReactNode };

/** The frame of every screen: skip link, header, main, footer, at most 1120 px wide. */
export function PageShell({ header, footer, children }: PageShellProps) {
  return (
    <div className="flex min-h-dvh flex-col">
      <a
        href="#main"
        className="fixed top-2 left-2 z-50 -translate-y-16 rounded-md bg-ink px-3 py-2 font-medium text-ink-text focus:translate-y-0"
      >
        Skip to content
      </a>
      {header}
      <main
        id="main"
        tabIndex={-1}
        className="mx-auto w-full max-w-page flex-1 px-4 py-8 outline-none sm:px-6 sm:py-10"
      >
        {children}
      </main>
      {footer}
    </div>
  );
}
