import { Link, type LinkProps } from '@tanstack/react-router';
import MenuIcon from 'lucide-react/icons/menu';
import type { ReactNode } from 'react';
import { BrandMark } from '#ui/picture/brand-mark.tsx';
import { Menu } from '#ui/overlay/menu.tsx';
import { ThemeSwitch } from '#ui/theme-switch.tsx';
import { config } from '#web/config.ts';
import { HeaderAccount, type HeaderAccountProps } from './header-account.tsx';

export type NavItem = { label: string; to: NonNullable<LinkProps['to']> };

export type HeaderProps = HeaderAccountProps & {
  /** In the specification's order: Marketplace, About, Plans, Contact. */
  nav: readonly NavItem[];
  /** The button of the command palette. */
  search: ReactNode;
};

/** The site-wide header (spec part 1, section 2). */
export function Header({ nav, adminMark, search }: HeaderProps) {
  return (
    <header className="border-b border-line bg-ground">
      <div className="mx-auto flex h-14 w-full max-w-page items-center gap-1 px-4 sm:gap-2 sm:px-6">
        <Link
          to="/"
          className="-ml-1 flex min-w-0 items-center gap-2 rounded-md px-1 py-1 text-base font-semibold tracking-tight"
        >
          <BrandMark size={22} className="shrink-0" />
          <span className="truncate">{config.brandName}</span>
        </Link>
        <nav aria-label="Main" className="ml-4 flex items-center gap-1 max-md:hidden">
          {nav.map(({ label, to }) => (
            <Link
              key={label}
              to={to}
              activeOptions={{ includeSearch: false }}
              className="rounded-md px-3 py-1.5 font-medium text-quiet transition-colors hover:bg-sunken hover:text-text aria-[current=page]:text-text forced-colors:aria-[current=page]:underline"
            >
              {label}
            </Link>
          ))}
        </nav>
        <div className="ml-auto flex items-center gap-1 sm:gap-2">
          {search}
          <ThemeSwitch />
          <HeaderAccount adminMark={adminMark} />
          <div className="-mr-2 md:hidden">
            <Menu label="Menu" square entries={nav}>
              <MenuIcon aria-hidden size={18} />
            </Menu>
          </div>
        </div>
      </div>
    </header>
  );
}
