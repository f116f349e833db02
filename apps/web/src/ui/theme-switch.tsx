import Monitor from 'lucide-react/icons/monitor';
import Moon from 'lucide-react/icons/moon';
import Sun from 'lucide-react/icons/sun';
import { IconButton } from './icon-button.tsx';
import { setTheme, useTheme, type Theme } from './theme.tsx';

const next: Readonly<Record<Theme, Theme>> = { system: 'light', light: 'dark', dark: 'system' };
const icons = { system: Monitor, light: Sun, dark: Moon } as const;

/** A button that switches between system, light and dark. Its name says the current theme and the next one. */
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
