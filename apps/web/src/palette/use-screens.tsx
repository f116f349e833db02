import { useNavigate } from '@tanstack/react-router';
import ArrowRight from 'lucide-react/icons/arrow-right';
import { adminTabLabels, adminTabs } from '#features/admin/admin-search.ts';
import type { PaletteCommand, PaletteCommands } from '#features/catalogue/palette/palette-popup.tsx';
import {
  connectionParts,
  connectionSearch,
  dashboardTabs,
  partLabels,
  tabLabels,
} from '#features/identity/dashboard-tabs.ts';
import { legalLinks } from '#web/navigation/legal-links.tsx';
import { memberNav, nav } from '#web/navigation/nav.ts';

/** Additional words that match a screen. */
const otherWords: Partial<Record<string, string>> = {
  '/plans': 'upgrade downgrade change subscribe subscription price pricing',
  '/contact': 'support help',
};
const legalWords = {
  terms: 'conditions agreement legal',
  privacy: 'data gdpr legal',
  refunds: 'money back return legal',
} as const;

const icon = <ArrowRight aria-hidden size={16} />;

type Viewer = { isSignedIn: boolean; isAdmin: boolean };

/** Returns the screens that the user can open, with the tabs of the dashboard and of the administrator area. */
export function useScreens({ isSignedIn, isAdmin }: Viewer): Omit<PaletteCommands, 'actions'> {
  const navigate = useNavigate();
  const command = (
    label: string,
    detail: string | undefined,
    onSelect: () => void,
    words?: string,
  ): PaletteCommand => ({
    id: `screen ${detail ?? ''} ${label}`,
    label,
    detail,
    ...(words !== undefined && { words }),
    icon,
    onSelect,
  });
  const links = [{ label: 'Home', to: '/' } as const, ...(isSignedIn ? memberNav : nav)];
  const screens = links.map(({ label, to }) => command(label, undefined, () => void navigate({ to }), otherWords[to]));
  if (isAdmin) screens.push(command('Admin', undefined, () => void navigate({ to: '/admin' })));
  const own = [
    ...dashboardTabs.map((tab) =>
      command(tabLabels[tab], 'Dashboard', () => void navigate({ to: '/dashboard', search: { tab } })),
    ),
    ...connectionParts
      .slice(1)
      .map((part) =>
        command(
          partLabels[part],
          'Dashboard, Connections',
          () => void navigate({ to: '/dashboard', search: connectionSearch(part) }),
        ),
      ),
  ];
  const administration = adminTabs.map((tab) =>
    command(adminTabLabels[tab], 'Admin', () => void navigate({ to: '/admin', search: { tab } })),
  );
  const legal = legalLinks.map(({ id, label, to }) =>
    command(label, undefined, () => void navigate({ to }), legalWords[id]),
  );
  return { screens, parts: [...legal, ...(isSignedIn ? own : []), ...(isAdmin ? administration : [])] };
}
