import {
  createRootRoute,
  createRoute,
  createRouter,
  Outlet,
  redirect,
  stringifySearchWith,
  useRouterState,
} from '@tanstack/react-router';
import { DemoPayments } from '#features/billing/demo-payments.tsx';
import { parseMarketplaceSearch } from '#features/catalogue/marketplace/marketplace-search.ts';
import { Footer } from '#features/catalogue/footer.tsx';
import { HomeScreen } from '#features/catalogue/home/home-screen.tsx';
import { CommandPalette } from '#features/catalogue/palette/command-palette.tsx';
import { clientNames } from '#features/gateway/client-forms.ts';
import { ConnectPanel } from '#features/gateway/connect-panel.tsx';
import { CallbackScreen } from '#features/identity/sign-in/callback-screen.tsx';
import { parseDashboardSearch } from '#features/identity/dashboard-tabs.ts';
import { Header } from '#features/identity/header.tsx';
import { SessionAwayNotice } from '#features/identity/session/session-away-notice.tsx';
import { SessionEndNotice } from '#features/identity/session/session-end-notice.tsx';
import { useSession } from '#features/identity/session/session-provider.tsx';
import { PageShell } from '#ui/page-shell.tsx';
import { CardOffer, CardState } from './own-access/card-offer.ts';
import { config, sells } from './config.ts';
import { WelcomeOffer } from './own-access/welcome-offer.tsx';
import { ErrorScreen } from './navigation/error-screen.tsx';
import { lazyScreen } from './loading/lazy-screen.ts';
import { legalLinks } from './navigation/legal-links.tsx';
import { useHeadingFocus } from './navigation/focus-heading.ts';
import { HowToFill } from './navigation/how-to-fill.tsx';
import { memberNav, nav } from './navigation/nav.ts';
import { needsDot } from './navigation/needs-dot.tsx';
import { NotFoundScreen } from './navigation/not-found-screen.tsx';
import { parseSearch } from './navigation/parse-search.ts';
import { SlowedNotice } from './loading/slowed-notice.tsx';
import { OwnOffer, OwnState } from './own-access/own-offer.tsx';
import type { ServiceSearch } from './service.tsx';
import { useOwnRefresh } from './loading/use-own-refresh.ts';

const quickLinks = [{ label: 'Home', to: '/' } as const, ...nav, ...legalLinks];

const loadPalette = () => import('./palette/palette.tsx');

function Frame() {
  const { user } = useSession();
  useHeadingFocus();
  useOwnRefresh(user?.id);
  // until the first screen's code has arrived, keeps the footer below the window, so that it does not jump
  const isFirst = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation === undefined });
  return (
    <PageShell
      header={
        <>
          {config.payments === 'sandbox' && <DemoPayments />}
          <Header nav={user ? memberNav : nav} adminMark={needsDot} search={<CommandPalette load={loadPalette} />} />
        </>
      }
      footer={<Footer links={quickLinks} signedIn={user !== undefined} />}
    >
      <SessionEndNotice />
      <SessionAwayNotice />
      <SlowedNotice />
      <CardOffer value={OwnOffer}>
        <CardState value={OwnState}>
          <Outlet />
          {isFirst && <div className="min-h-dvh" />}
        </CardState>
      </CardOffer>
    </PageShell>
  );
}

const root = createRootRoute({
  component: Frame,
  notFoundComponent: () => <NotFoundScreen />,
  // for failures of the frame itself
  errorComponent: (props) => (
    <PageShell>
      <ErrorScreen {...props} />
    </PageShell>
  ),
});

const at = <const Path extends string>(path: Path) => ({ getParentRoute: () => root, path });

const home = createRoute({
  ...at('/'),
  component: function Home() {
    const { user } = useSession();
    return (
      <HomeScreen
        clients={clientNames}
        connectPanel={<ConnectPanel userId={user?.id} />}
        howToFill={<HowToFill />}
        offer={<WelcomeOffer className="mt-3 text-quiet" />}
      />
    );
  },
});

/** Fetches a screen when the user points at a link to it, so that no empty page is shown in between. */
const fetched = (screen: { preload?: () => Promise<void> | undefined }) => () => screen.preload?.();

const LazyMarketplace = lazyScreen(
  () => import('#features/catalogue/marketplace/marketplace-screen.tsx'),
  'MarketplaceScreen',
);
const marketplace = createRoute({
  ...at('/marketplace'),
  validateSearch: parseMarketplaceSearch,
  loader: fetched(LazyMarketplace),
  component: function Marketplace() {
    // the router keeps parameters that the validation dropped
    const search = parseMarketplaceSearch(marketplace.useSearch());
    const navigate = marketplace.useNavigate();
    return (
      <LazyMarketplace
        search={search}
        onSearchChange={(next, { replace }) => void navigate({ search: next, replace })}
        howToFill={<HowToFill />}
        offer={<WelcomeOffer className="mb-1" />}
      />
    );
  },
});

/** The same screen as /marketplace (spec part 1, section 2). */
const search = createRoute({
  ...at('/search'),
  validateSearch: parseMarketplaceSearch,
  loader: fetched(LazyMarketplace),
  component: function Search() {
    const asked = parseMarketplaceSearch(search.useSearch());
    const navigate = search.useNavigate();
    return (
      <LazyMarketplace
        search={asked}
        onSearchChange={(next, { replace }) => void navigate({ search: next, replace })}
        howToFill={<HowToFill />}
      />
    );
  },
});

const LazyService = lazyScreen(() => import('./service.tsx'), 'Service');
const service = createRoute({
  ...at('/service/$serviceId'),
  loader: fetched(LazyService),
  validateSearch: (search): ServiceSearch => ({
    ...(typeof search['purchase'] === 'string' && { purchase: search['purchase'] }),
    ...(typeof search['try'] === 'string' && { try: search['try'] }),
  }),
  component: function ServiceDetail() {
    const { serviceId } = service.useParams();
    // keyed, since an open tool belongs to its service
    return <LazyService key={serviceId} serviceId={serviceId} search={service.useSearch()} />;
  },
});

/** Says that the address has no id (spec part 1, section 8). */
const serviceWithoutId = createRoute({
  ...at('/service'),
  loader: fetched(LazyService),
  component: () => <LazyService serviceId="" search={{}} />,
});

const dashboard = createRoute({
  ...at('/dashboard'),
  validateSearch: parseDashboardSearch,
  component: lazyScreen(() => import('./dashboard.tsx'), 'Dashboard'),
});

const admin = createRoute({
  ...at('/admin'),
  component: lazyScreen(() => import('./admin.tsx'), 'Admin'),
});

/** The Profile tab of /dashboard (spec part 2, section 2). */
const profile = createRoute({
  ...at('/profile'),
  beforeLoad: () => {
    throw redirect({ to: '/dashboard', search: { tab: 'profile' }, replace: true });
  },
});

const LazyPlans = lazyScreen(() => import('./plans.tsx'), 'Plans');
const plans = createRoute({
  ...at('/plans'),
  loader: fetched(LazyPlans),
  validateSearch: ({ buy }): { buy?: string } => (typeof buy === 'string' ? { buy } : {}),
  component: function PlansForSale() {
    const { buy } = plans.useSearch();
    if (sells) return <LazyPlans buy={buy} />;
    return <NotFoundScreen text="Nothing is sold here: your administrator decides which services you can use." />;
  },
});

/** The payment provider sends the browser back here. Both addresses show the same screen (spec part 1, section 2). */
const LazyPayment = lazyScreen(() => import('./payment.tsx'), 'Payment');
const paymentResult = createRoute({ ...at('/payment/result'), component: LazyPayment });
const purchaseSuccess = createRoute({ ...at('/purchase/success'), component: LazyPayment });

/** Users approve raised prices here. Calls that such a price stops answer with this address. */
const LazyPrices = lazyScreen(() => import('./prices.tsx'), 'Prices');
const prices = createRoute({
  ...at('/prices'),
  loader: fetched(LazyPrices),
  validateSearch: ({ server, tool }): { server?: string; tool?: string } =>
    typeof server === 'string' && typeof tool === 'string' ? { server, tool } : {},
  component: function PricesThatRose() {
    const { server, tool } = prices.useSearch();
    return <LazyPrices named={server !== undefined && tool !== undefined ? { server, tool } : undefined} />;
  },
});

const about = createRoute({
  ...at('/about'),
  component: lazyScreen(() => import('#features/site/about-screen.tsx'), 'AboutScreen'),
});

/** Both addresses show the same screen (spec part 1, section 2). */
const LazyContact = lazyScreen(() => import('#features/site/contact-screen.tsx'), 'ContactScreen');
const contact = createRoute({ ...at('/contact'), component: LazyContact });
const support = createRoute({ ...at('/support'), component: LazyContact });

const LazyLegal = lazyScreen(() => import('./legal.tsx'), 'Legal');
const legal = (['terms', 'privacy', 'refunds'] as const).map((page) =>
  createRoute({
    ...at(`/${page}`),
    ...(config.legal.includes(page) && { loader: fetched(LazyLegal) }),
    component: () => (config.legal.includes(page) ? <LazyLegal page={page} /> : <NotFoundScreen />),
  }),
);

const callback = createRoute({ ...at('/auth/callback'), component: CallbackScreen });

/** Completes a sign-in that the broker redirected (spec part 2, section 2). */
const success = createRoute({
  ...at('/auth/success'),
  component: lazyScreen(() => import('#features/identity/sign-in/success-screen.tsx'), 'SuccessScreen'),
});

const LazySignInScreen = lazyScreen(() => import('#features/identity/sign-in/sign-in-screen.tsx'), 'SignInScreen');
const signIn = createRoute({
  ...at('/sign-in'),
  loader: fetched(LazySignInScreen),
  validateSearch: ({ return_to: returnTo }): { return_to?: string } =>
    typeof returnTo === 'string' ? { return_to: returnTo } : {},
  component: function SignIn() {
    return <LazySignInScreen returnTo={signIn.useSearch().return_to} />;
  },
});

const authShim = createRoute({
  ...at('/auth-shim'),
  component: lazyScreen(() => import('#features/identity/sign-in/auth-shim-screen.tsx'), 'AuthShimScreen'),
});

/** Users connect their account at a server here. Calls that lack one answer with this address. */
const LazyConnect = lazyScreen(() => import('./connect.tsx'), 'Connect');
const connect = createRoute({
  ...at('/connect/$serverId'),
  loader: fetched(LazyConnect),
  component: function ConnectServer() {
    return <LazyConnect serverId={connect.useParams().serverId} />;
  },
});

/** The authorization servers of upstream servers send the browser back here. */
const connectCallback = createRoute({
  ...at('/connect/callback'),
  component: lazyScreen(() => import('./connect.tsx'), 'ConnectCallback'),
});

export const router = createRouter({
  routeTree: root.addChildren([
    home,
    marketplace,
    search,
    service,
    serviceWithoutId,
    dashboard,
    admin,
    profile,
    plans,
    prices,
    about,
    contact,
    ...legal,
    support,
    paymentResult,
    purchaseSuccess,
    callback,
    success,
    signIn,
    authShim,
    connect,
    connectCallback,
  ]),
  // like the broker, which answers 404 to /Plans
  caseSensitive: true,
  // inside the frame, so that its header still works
  defaultErrorComponent: ErrorScreen,
  parseSearch,
  stringifySearch: stringifySearchWith(JSON.stringify),
  defaultPreload: 'intent',
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
