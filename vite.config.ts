import { fileURLToPath } from 'node:url'
import { reactRouter } from '@react-router/dev/vite'
import { defineConfig, type Plugin } from 'vite'
import { islandStyles } from './scripts/web/still-pages.ts'

/** Where `react-router dev` sends API calls and the stream: the server of `npm start`. */
const SERVER = 'http://localhost:3000'

/** Rooms are entered through index.ts; a screen must still get only the parts that it uses. */
const treeshake = {
  moduleSideEffects: [
    { test: /\.css(\?|$)/, sideEffects: true },
    {
      test: /\/(web\/(client|ui|api|markets|receipts|complaints|trades|alerts|backtest|auth|chat|site|trader)|contract|kernel)\/.*\.tsx?$/,
      sideEffects: false,
    },
  ],
}

/**
 * What every screen of the app needs, in one file: it compresses better than many. Nothing that brings a style sheet along:
 * the public pages would get its rules too.
 */
const CORE = new RegExp(
  [
    'node_modules/(react|react-dom|react-router|scheduler|zustand)/',
    'lucide-react/dist/esm/(?!icons/)',
    'preload-helper',
    'kernel/(money|zone)',
    'contract/([\\w-]+/)?(chart-terms|measured|site|terms)\\.ts',
    'web/ui/([\\w-]+/)?(cx|constants|figure|format|toast)\\.ts',
    'web/app/(theme|layouts/(live-chat|menus/places))\\.ts',
    'web/client/(client|stream(-connection|-frames)?|upload)\\.ts',
    // The chart's own file is loaded later and shares them with the trading screen.
    'web/trader/quick-trading/chart/([\\w-]+/)?(candles|legend-store|look|use-layer)\\.ts',
    'web/api/([\\w-]+/)?(auth-redirect|browser|keeper|live-question|screen-choices|start-up|step-up|store|use-request)\\.ts',
  ].join('|'),
)

/**
 * Parts that bring a style sheet along. What the public pages show is apart from what only the app shows: a page gets the
 * rules of every group of which it uses one part.
 */
const SHOWN_ON_THE_SITE = /web\/ui\/([\w-]+\/)?(button|brand|modal)\./
const IN_FORMS = /web\/ui\/([\w-]+\/)?(alert|field)\./
/** What most screens of the user area need, besides the above. */
const USER_AREA = new RegExp(
  [
    // Lists in pages are for the histories: the trading screen has none.
    'node_modules/@tanstack/(?!.*nfiniteQuery(Observer)?\\.)',
    'web/(client/|markets/|api/(?!requests/use-pages\\.))',
    'web/app/layouts/[\\w-]+/(menu|send-link)\\.',
    'web/trader/statement/open-statement\\.',
    'web/trader/limits/use-guardrails\\.',
    'web/alerts/use-alerts\\.',
    'web/trader/notices/device/signs\\.',
    'web/trader/quick-trading/([\\w-]+/)?(chart-document|dock-trades|draft-order|order|use-waiting|wait)\\.',
    'web/ui/([\\w-]+/)?(badge|choices|loaded|record-list|single-keys|skeleton|takes-text|trade-words|trade-parts|keep-toasts-below|popover|typed-usd|use-\\w+)\\.',
  ].join('|'),
)

/** What the trading screen shows of trades: who has none yet doesn't need it. */
const TRADES =
  /web\/trader\/quick-trading\/([\w-]+\/)?(dock-figures|highlight|live-cells|marks|pills|some-trades|trade-list)\.|web\/trades\/([\w-]+\/)?(sale-quote|sell-button|standing|use-sale-quote)\.|kernel\/sale-value\./

/** The chart, which is loaded once the screen is there, with what its dialogs share with it. */
const CHART =
  /web\/trader\/quick-trading\/chart\/drawing\/(draw-chart|shapes)\.|kernel\/indicators\/(heikin-ashi|series)\./

/** Icons that several screens show. */
const ICONS = /lucide-react\/dist\/esm\/icons\//

/** What loads a screen's code: ours, where React Router imports its own. */
function ownRouteModules(): Plugin {
  const own = fileURLToPath(new URL('web/app/load-route-module.ts', import.meta.url))
  let isInPlace = false
  return {
    name: 'own-route-modules',
    apply: 'build',
    enforce: 'pre',
    resolveId(source, importer) {
      if (!source.endsWith('/routeModules.js') || !importer?.includes('/react-router/dist/')) return null
      isInPlace = true
      return own
    },
    buildEnd(error) {
      if (!error && !isInPlace)
        this.error('React Router loads its screens from another file now: see web/app/load-route-module.ts')
    },
  }
}

export default defineConfig({
  plugins: [ownRouteModules(), reactRouter()],
  worker: {
    format: 'es',
    rolldownOptions: {
      treeshake,
      output: {
        // A browser looks for a new service worker at the address of the one that it has, and lets it serve what is below.
        entryFileNames: ({ name }) => (name === 'service-worker' ? '[name].js' : 'assets/[name]-[hash].js'),
      },
    },
    plugins: () => [islandStyles()],
  },
  build: {
    target: 'es2023',
    cssTarget: ['chrome123', 'firefox128', 'safari17.5'],
    // Data URIs would ask for exceptions in the content security policy.
    assetsInlineLimit: 0,
    rolldownOptions: {
      treeshake,
      output: {
        // A file for each small part would be a request for each; what is asked for together comes together.
        codeSplitting: {
          groups: [
            { name: 'core', test: CORE, priority: 5 },
            { name: 'icons', test: ICONS, minShareCount: 2, priority: 4 },
            { name: 'parts', test: SHOWN_ON_THE_SITE, priority: 3 },
            { name: 'forms', test: IN_FORMS, priority: 2 },
            { name: 'user-area', test: USER_AREA, priority: 1 },
            { name: 'trades', test: TRADES, priority: 0 },
            { name: 'chart', test: CHART, priority: 0 },
          ],
        },
      },
    },
  },
  server: { proxy: { '/api': { target: SERVER, ws: true }, '/mailbox': SERVER } },
})
