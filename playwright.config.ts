import { defineConfig } from '@playwright/test'

const DESKTOP = { viewport: { width: 1440, height: 900 } }
/** They wait for trades to end, for a minute and more. */
const WAITING = ['automatic*', 'complaints', 'desk', 'journey', 'live-prices', 'receipts', 'stored-xss'].map(
  (name) => `${name}.spec.ts`,
)

/** The browser journeys. `npm test` runs them after Vitest; alone: `npx playwright test` after `npm run build`. */
export default defineConfig({
  testDir: 'tests/e2e',
  testMatch: '*.spec.ts',
  globalSetup: './tests/e2e/support/set-up.ts',
  outputDir: 'test-results',
  fullyParallel: true,
  forbidOnly: true,
  // Three of them mostly wait, so three others find room on two cores.
  workers: 6,
  timeout: 45_000,
  expect: { timeout: 10_000 },
  reporter: 'list',
  use: {
    // No traces: their recorder reads pictures from memory again, which the content security policy forbids.
    screenshot: 'only-on-failure',
    locale: 'en-GB',
    timezoneId: 'UTC',
    contextOptions: { reducedMotion: 'reduce' },
  },
  projects: [
    // They start first and few at a time, so that the others fill the time.
    { name: 'desktop, waiting', use: DESKTOP, testMatch: WAITING, workers: 3 },
    {
      name: 'phone',
      use: { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true },
      testMatch: ['journey.spec.ts', 'money.spec.ts', 'screens.spec.ts', 'phone.spec.ts'],
    },
    { name: 'desktop', use: DESKTOP, testIgnore: ['phone.spec.ts', ...WAITING] },
  ],
})
