import { existsSync } from 'node:fs'
import { defineConfig } from '@playwright/test'
import { LAB } from './lab/lab.ts'
import { FULL_CHROMIUM } from './tests/e2e/support/browser.ts'

const DESKTOP = { viewport: { width: 1440, height: 900 } }
/** They take longest: a server of their own, or a whole day at the desk. */
const LONG = ['automatic*', 'complaints', 'desk', 'journey', 'live-prices', 'receipts', 'stored-xss'].map(
  (name) => `${name}.spec.ts`,
)

/** They need more of a browser than the packaged one has. */
const WITHOUT_CHROMIUM = existsSync(FULL_CHROMIUM) ? [] : ['installed.spec.ts']

/** They break the product, and belong to the laboratory. */
const LABORATORY = Object.values(LAB).flatMap(({ browser = [] }) => browser)

/**
 * The browser journeys. `npm test` runs them after Vitest, without those of the laboratory; alone: `npx playwright test`
 * after `npm run build`.
 */
export default defineConfig({
  testDir: 'tests/e2e',
  testMatch: '*.spec.ts',
  globalSetup: './tests/e2e/support/set-up.ts',
  outputDir: 'test-results',
  fullyParallel: true,
  forbidOnly: true,
  // They also wait, so a third finds room on two cores. A fourth makes each slower where the machine is.
  workers: 3,
  // For a busy machine: a test that hangs is found all the same.
  timeout: 300_000,
  expect: { timeout: 60_000 },
  reporter: 'list',
  use: {
    // Before the test's, so that a failure names the action.
    actionTimeout: 120_000,
    navigationTimeout: 120_000,
    // No traces: their recorder reads pictures from memory again, which the content security policy forbids.
    screenshot: 'only-on-failure',
    // Its requests couldn't be watched. tests/e2e/accounts/installed.spec.ts has one, in a full browser.
    serviceWorkers: 'block',
    locale: 'en-GB',
    timezoneId: 'UTC',
    contextOptions: { reducedMotion: 'reduce' },
  },
  projects: [
    // They start first, so that the others fill the time.
    { name: 'desktop, long', use: DESKTOP, testMatch: LONG },
    {
      name: 'phone',
      use: { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true },
      testMatch: [
        'alerts.spec.ts',
        'charts.spec.ts',
        'guest.spec.ts',
        'journey.spec.ts',
        'money.spec.ts',
        'notifications.spec.ts',
        'price-lists.spec.ts',
        'screens.spec.ts',
        'sell.spec.ts',
        'strategies.spec.ts',
        'waiting-orders.spec.ts',
        'webhooks.spec.ts',
        'phone.spec.ts',
      ],
    },
    { name: 'desktop', use: DESKTOP, testIgnore: ['phone.spec.ts', ...WITHOUT_CHROMIUM, ...LONG, ...LABORATORY] },
    { name: 'lab', use: DESKTOP, testMatch: [...LABORATORY] },
  ],
})
