import { useNavigate, useRouter } from '@tanstack/react-router';
import CircleX from 'lucide-react/icons/circle-x';
import Copy from 'lucide-react/icons/copy';
import LogIn from 'lucide-react/icons/log-in';
import LogOut from 'lucide-react/icons/log-out';
import Monitor from 'lucide-react/icons/monitor';
import Moon from 'lucide-react/icons/moon';
import ReceiptText from 'lucide-react/icons/receipt-text';
import Sun from 'lucide-react/icons/sun';
import Trash2 from 'lucide-react/icons/trash-2';
import Wallet from 'lucide-react/icons/wallet';
import type { PaletteCommand } from '#features/catalogue/palette/palette-popup.tsx';
import { connectTarget } from '#features/gateway/client-forms.ts';
import { useSession } from '#features/identity/session/session-provider.tsx';
import { useSignOut } from '#features/identity/session/use-sign-out.ts';
import { copyText } from '#ui/text/copy-text.ts';
import { setTheme, useTheme } from '#ui/theme.tsx';
import { useToast } from '#ui/overlay/use-toast.ts';
import { config, sells } from '#web/config.ts';
import { failureText } from '#web/texts/failure-text.ts';

const themes = [
  { theme: 'light', label: 'Use the light theme', icon: <Sun aria-hidden size={16} /> },
  { theme: 'dark', label: 'Use the dark theme', icon: <Moon aria-hidden size={16} /> },
  { theme: 'system', label: "Use your system's theme", icon: <Monitor aria-hidden size={16} /> },
] as const;

/**
 * Commands that lead to cancellations, receipts and the deletion of the account. Each screen asks before anything
 * happens.
 */
function accountActions(navigate: ReturnType<typeof useNavigate>): PaletteCommand[] {
  const open = (tab: 'billing' | 'profile', hash: string) => () =>
    void navigate({ to: '/dashboard', search: { tab }, hash });
  const paid: PaletteCommand[] = [
    {
      id: 'cancel',
      label: 'Cancel a plan or rental',
      detail: 'Dashboard, Billing',
      words: 'end stop subscription unsubscribe',
      icon: <CircleX aria-hidden size={16} />,
      onSelect: open('billing', 'subscriptions-heading'),
    },
    {
      id: 'receipts',
      label: 'Invoices and receipts',
      detail: 'Dashboard, Billing',
      words: 'bill payments history transactions refund',
      icon: <ReceiptText aria-hidden size={16} />,
      onSelect: open('billing', 'history-heading'),
    },
  ];
  return [
    ...(sells ? paid : []),
    {
      id: 'delete account',
      label: 'Delete your account',
      detail: 'Dashboard, Profile',
      words: 'close erase remove data',
      icon: <Trash2 aria-hidden size={16} />,
      onSelect: open('profile', 'delete-heading'),
    },
  ];
}

export function useActions(isSignedIn: boolean): PaletteCommand[] {
  const toast = useToast();
  const theme = useTheme();
  const navigate = useNavigate();
  const router = useRouter();
  const { session } = useSession();
  const signOut = useSignOut();
  const { link } = connectTarget(config);
  const copyLink = async () => {
    if (await copyText(link)) toast.success('Your link is copied.');
    else toast.error(`The link couldn't be copied. It is ${link}`);
  };
  const signIn = () => {
    session.startSignIn(router.state.location.href).catch((error: unknown) => toast.error(failureText(error)));
  };
  return [
    {
      id: 'copy link',
      label: 'Copy your link',
      detail: link,
      words: 'address url mcp',
      icon: <Copy aria-hidden size={16} />,
      stays: true,
      onSelect: () => void copyLink(),
    },
    ...(sells
      ? [
          {
            id: 'buy credits',
            label: 'Buy credits',
            words: 'packages top up plans',
            icon: <Wallet aria-hidden size={16} />,
            onSelect: () => void navigate({ to: '/plans', hash: 'packages' }),
          },
        ]
      : []),
    ...(isSignedIn ? accountActions(navigate) : []),
    ...themes.map((one) => ({
      id: `theme ${one.theme}`,
      label: one.label,
      ...(one.theme === theme && { detail: 'In use' }),
      words: `${one.theme} mode appearance`,
      icon: one.icon,
      stays: true,
      onSelect: () => setTheme(one.theme),
    })),
    isSignedIn
      ? {
          id: 'sign out',
          label: 'Sign Out',
          words: 'log out logout',
          icon: <LogOut aria-hidden size={16} />,
          onSelect: () => void signOut(),
        }
      : {
          id: 'sign in',
          label: 'Sign In',
          words: 'log in login',
          icon: <LogIn aria-hidden size={16} />,
          onSelect: signIn,
        },
  ];
}
