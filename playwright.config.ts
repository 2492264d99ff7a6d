import { defineConfig } from '@playwright/test'

/** The browser journeys. `npm test` runs them after Vitest; alone: `npx playwright test` after `npm run build`. */
export default defineConfig({
  testDir: 'tests/e2e',
  testMatch: '*.spec.ts',
  globalSetup: './tests/e2e/support/set-up.ts',
  outputDir: 'test-results',
  fullyParallel: true,
  forbidOnly: true,
  // The journeys wait for a real minute most of the time, so five find room on two cores.
  workers: 5,
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
    { name: 'desktop', use: { viewport: { width: 1440, height: 900 } }, testIgnore: 'phone.spec.ts' },
    {
      name: 'phone',
      use: { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true },
      testMatch: ['journey.spec.ts', 'money.spec.ts', 'screens.spec.ts', 'phone.spec.ts'],
    },
  ],
})
