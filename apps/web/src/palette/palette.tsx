import { useQuery } from '@tanstack/react-query';
import type { PaletteProps } from '#features/catalogue/palette/command-palette.tsx';
import { PalettePopup } from '#features/catalogue/palette/palette-popup.tsx';
import { profileQuery } from '#features/identity/queries.ts';
import { useSession } from '#features/identity/session/session-provider.tsx';
import { useActions } from './use-actions.tsx';
import { useScreens } from './use-screens.tsx';

/** The command palette with what this user can open and do. Loaded when it is first opened. */
export function Palette(props: PaletteProps) {
  const { user } = useSession();
  const { data } = useQuery({ ...profileQuery(user?.id ?? ''), enabled: user !== undefined });
  const screens = useScreens({ isSignedIn: user !== undefined, isAdmin: user !== undefined && data?.role === 'admin' });
  return <PalettePopup {...props} {...screens} actions={useActions(user !== undefined)} />;
}
