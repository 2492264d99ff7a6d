import { type ReactNode, useContext, useEffect, useLayoutEffect } from 'react'
import { Links, Meta, Outlet, Scripts, useLocation } from 'react-router'
import fontUrl from '#web/ui/inter.woff2?url'
import '#web/ui/tokens.css'
import { startUp } from '#web/api/index.ts'
import { figure, figureMetas } from '#web/ui/index.ts'
import type { Route } from './+types/root.ts'
import { ErrorScreen } from './error-screen.tsx'
import siteScriptUrl from './site-script.ts?worker&url'
import { Still } from './still.ts'
import { SuccessAlert } from './success-alert.tsx'
import { themeScript } from './theme.ts'

export function Layout({ children }: { children: ReactNode }) {
  const isStill = useContext(Still)
  return (
    <html lang="en" suppressHydrationWarning>
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover" />
        <meta name="theme-color" content="#0a0d13" media="(prefers-color-scheme: dark)" />
        <meta name="theme-color" content="#f5f6f9" media="(prefers-color-scheme: light)" />
        <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
        <link rel="apple-touch-icon" href="/apple-touch-icon.png" />
        <link rel="manifest" href="/site.webmanifest" />
        <link rel="preload" href={fontUrl} as="font" type="font/woff2" crossOrigin="anonymous" />
        {!isStill && figureMetas().map((meta) => <meta key={meta.name} {...meta} />)}
        <Meta />
        <Links />
        {/* biome-ignore lint/security/noDangerouslySetInnerHtml: our own constant text, hashed for the content security policy */}
        <script dangerouslySetInnerHTML={{ __html: themeScript }} />
      </head>
      <body>
        {children}
        {isStill ? <script src={siteScriptUrl} type="module" /> : <Scripts />}
      </body>
    </html>
  )
}

export const meta: Route.MetaFunction = () => [{ title: figure('brand') }]

/** Shown while the app's code loads: only the background, so that nothing jumps. */
export function HydrateFallback() {
  return null
}

/** Scrolls to the top after every navigation. */
function ScrollToTop() {
  const { key } = useLocation()
  // biome-ignore lint/correctness/useExhaustiveDependencies: navigation triggers it
  useLayoutEffect(() => {
    // Newer browsers return a promise here, which an effect must not return.
    void window.scrollTo(0, 0)
  }, [key])
  return null
}

export default function App() {
  useEffect(() => {
    window.history.scrollRestoration = 'manual'
    return startUp()
  }, [])
  return (
    <>
      <ScrollToTop />
      <Outlet />
      <SuccessAlert />
    </>
  )
}

export function ErrorBoundary({ error }: Route.ErrorBoundaryProps) {
  return <ErrorScreen error={error} />
}
