import { defineConfig } from '@playwright/test'
import { LAB } from './lab/lab.ts'

const DESKTOP = { viewport: { width: 1440, height: 900 } }
/** They take longest: a server of their own, or a whole day at the desk. */
const LONG = ['automatic*', 'complaints', 'desk', 'journey', 'live-prices', 'receipts', 'stored-xss'].map(
  (name) => `${name}.spec.ts`,
)

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
  // They also wait, so four find room on two cores.
  workers: 4,
  // For a busy machine: a test that hangs is found all the same.
  timeout: 90_000,
  expect: { timeout: 20_000 },
  reporter: 'list',
  use: {
    // No traces: their recorder reads pictures from memory again, which the content security policy forbids.
    screenshot: 'only-on-failure',
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
        'charts.spec.ts',
        'guest.spec.ts',
        'journey.spec.ts',
        'money.spec.ts',
        'screens.spec.ts',
        'phone.spec.ts',
      ],
    },
    { name: 'desktop', use: DESKTOP, testIgnore: ['phone.spec.ts', ...LONG, ...LABORATORY] },
    { name: 'lab', use: DESKTOP, testMatch: [...LABORATORY] },
  ],
})
