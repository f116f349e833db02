import Monitor from 'lucide-react/icons/monitor';
import Moon from 'lucide-react/icons/moon';
import Sun from 'lucide-react/icons/sun';
import { IconButton } from './icon-button.tsx';
import { setTheme, useTheme, type Theme } from './theme.tsx';

const next: Readonly<Record<Theme, Theme>> = { system: 'light', light: 'dark', dark: 'system' };
const icons = { system: Monitor, light: Sun, dark: Moon } as const;

/** One button that goes round: system, light, dark. Its name says where it stands and what comes. */
export function ThemeSwitch() {
  const theme = useTheme();
  const Icon = icons[theme];
  return (
    <IconButton
      label={`Theme: ${theme}. Change to ${next[theme]}`}
      icon={<Icon aria-hidden size={17} />}
      onClick={() => setTheme(next[theme])}
    />
  );
}
