import { createRootRoute, createRoute, createRouter, lazyRouteComponent, Outlet } from '@tanstack/react-router';
import { parseMarketplaceSearch } from '#features/catalogue/find-servers.ts';
import { Footer } from '#features/catalogue/footer.tsx';
import { HomeScreen } from '#features/catalogue/home-screen.tsx';
import { MarketplaceScreen } from '#features/catalogue/marketplace-screen.tsx';
import { ServiceScreen } from '#features/catalogue/service-screen.tsx';
import { clientNames } from '#features/gateway/client-forms.ts';
import { ConnectPanel } from '#features/gateway/connect-panel.tsx';
import { CallbackScreen } from '#features/identity/callback-screen.tsx';
import { parseDashboardSearch } from '#features/identity/dashboard-tabs.ts';
import { Header } from '#features/identity/header.tsx';
import { useSession } from '#features/identity/session-provider.tsx';
import { PageShell } from '#ui/page-shell.tsx';
import { TextLink } from '#ui/text-link.tsx';
import { ErrorScreen } from './error-screen.tsx';
import { NotFoundScreen } from './not-found-screen.tsx';

/** Links of the header and of the footer appear with their screens (spec part 1, section 2). */
const nav = [{ label: 'Marketplace', to: '/marketplace' }] as const;
const quickLinks = [
  {
    id: 'home',
    link: (
      <TextLink to="/" tone="quiet">
        Home
      </TextLink>
    ),
  },
  {
    id: 'marketplace',
    link: (
      <TextLink to="/marketplace" tone="quiet">
        Marketplace
      </TextLink>
    ),
  },
];

function Frame() {
  const { user } = useSession();
  return (
    <PageShell
      header={<Header nav={nav} account={{ dashboard: '/dashboard' }} />}
      footer={<Footer links={quickLinks} signedIn={user !== undefined} />}
    >
      <Outlet />
    </PageShell>
  );
}

const root = createRootRoute({ component: Frame, notFoundComponent: NotFoundScreen, errorComponent: ErrorScreen });

const home = createRoute({
  getParentRoute: () => root,
  path: '/',
  component: function Home() {
    const { user } = useSession();
    return <HomeScreen clients={clientNames} connectPanel={<ConnectPanel userId={user?.id} />} />;
  },
});

const marketplace = createRoute({
  getParentRoute: () => root,
  path: '/marketplace',
  validateSearch: parseMarketplaceSearch,
  component: function Marketplace() {
    // the router leaves in what the validation dropped
    const search = parseMarketplaceSearch(marketplace.useSearch());
    const navigate = marketplace.useNavigate();
    return (
      <MarketplaceScreen
        search={search}
        onSearchChange={(next, { replace }) => void navigate({ search: next, replace })}
      />
    );
  },
});

/** The same screen as /marketplace (spec part 1, section 2). */
const search = createRoute({
  getParentRoute: () => root,
  path: '/search',
  validateSearch: parseMarketplaceSearch,
  component: function Search() {
    const asked = parseMarketplaceSearch(search.useSearch());
    const navigate = search.useNavigate();
    return (
      <MarketplaceScreen
        search={asked}
        onSearchChange={(next, { replace }) => void navigate({ search: next, replace })}
      />
    );
  },
});

const service = createRoute({
  getParentRoute: () => root,
  path: '/service/$serviceId',
  component: function ServiceDetail() {
    const { serviceId } = service.useParams();
    const { user } = useSession();
    return (
      <ServiceScreen
        serviceId={serviceId}
        connectPanel={(shown) => <ConnectPanel service={shown} userId={user?.id} />}
      />
    );
  },
});

/** An address without an id says so (spec part 1, section 8). */
const serviceWithoutId = createRoute({
  getParentRoute: () => root,
  path: '/service',
  component: () => <ServiceScreen serviceId="" connectPanel={() => null} />,
});

const dashboard = createRoute({
  getParentRoute: () => root,
  path: '/dashboard',
  validateSearch: parseDashboardSearch,
  component: lazyRouteComponent(() => import('./dashboard.tsx'), 'Dashboard'),
});

const callback = createRoute({ getParentRoute: () => root, path: '/auth/callback', component: CallbackScreen });

/** After a ticket of the broker (spec part 2, section 2). */
const success = createRoute({
  getParentRoute: () => root,
  path: '/auth/success',
  component: lazyRouteComponent(() => import('#features/identity/success-screen.tsx'), 'SuccessScreen'),
});

const LazySignInScreen = lazyRouteComponent(() => import('#features/identity/sign-in-screen.tsx'), 'SignInScreen');
const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: ({ return_to: returnTo }): { return_to?: string } =>
    returnTo === undefined ? {} : { return_to: String(returnTo) },
  component: function SignIn() {
    return <LazySignInScreen returnTo={signIn.useSearch().return_to} />;
  },
});

const authShim = createRoute({
  getParentRoute: () => root,
  path: '/auth-shim',
  component: lazyRouteComponent(() => import('#features/identity/auth-shim-screen.tsx'), 'AuthShimScreen'),
});

/** A person's own connection to a server: where calls that need a sign-in send people. */
const LazyConnect = lazyRouteComponent(() => import('./connect.tsx'), 'Connect');
const connect = createRoute({
  getParentRoute: () => root,
  path: '/connect/$serverId',
  component: function ConnectServer() {
    return <LazyConnect serverId={connect.useParams().serverId} />;
  },
});

/** Where authorization servers of servers send the browser back to. */
const connectCallback = createRoute({
  getParentRoute: () => root,
  path: '/connect/callback',
  component: lazyRouteComponent(() => import('./connect.tsx'), 'ConnectCallback'),
});

/** Every part of the kit in every state, for looking: on the development server alone. */
const kit = import.meta.env.DEV
  ? [
      createRoute({
        getParentRoute: () => root,
        path: '/__kit',
        component: lazyRouteComponent(() => import('#ui/gallery.tsx'), 'Gallery'),
      }),
    ]
  : [];

/** Every screen of the product. */
export const router = createRouter({
  routeTree: root.addChildren([
    ...kit,
    home,
    marketplace,
    search,
    service,
    serviceWithoutId,
    dashboard,
    callback,
    success,
    signIn,
    authShim,
    connect,
    connectCallback,
  ]),
  defaultPreload: 'intent',
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
